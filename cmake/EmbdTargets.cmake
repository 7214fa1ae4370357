# One folder of the tree is one static library `embd_<folder>`: it may include only what it links,
# so a wrong include shows as an undefined symbol in that folder's own tests.
#
#   embd_add_library(base SOURCES a.cc b.cc LINKS ZLIB::ZLIB)

add_library(embd_options INTERFACE)
target_compile_features(embd_options INTERFACE cxx_std_23)
target_include_directories(embd_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_compile_options(embd_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Werror=switch  # a new value of an enumeration does not compile before each switch knows it
  -Wno-missing-field-initializers  # a designated initializer leaves the rest at its default
  -fvisibility-inlines-hidden
  # Every row must have the same bytes on every build of one instruction set: the compiler may not
  # fuse a multiply and an add unless the kernel asks for it.
  -ffp-contract=off
  # GCC frees its own memory less often: it makes the same code in 5 to 10 % less time, with 0.2 to 0.3 GB more memory for the largest
  # sources.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>)
if(EMBD_WERROR)
  target_compile_options(embd_options INTERFACE -Werror)
endif()
if(EMBD_WASM)
  # Sizes have 32 bits there: a number of 64 bits from a file was compared with what is there before it becomes one.
  target_compile_options(embd_options INTERFACE -Wno-c2y-extensions -Wno-shorten-64-to-32
    -Wno-c++11-narrowing -Wno-unused-result)  # of std::expected::value(), which EMBD_TRY ends with
endif()

if(EMBD_FUZZ)
  # Instruments the library, too: libFuzzer is guided by it.
  target_compile_options(embd_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

define_property(GLOBAL PROPERTY EMBD_LIBRARIES BRIEF_DOCS "folders that make up libembd")

function(embd_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_library(embd_${name} STATIC ${arg_SOURCES})
  target_link_libraries(embd_${name} PUBLIC embd_options ${arg_LINKS})
  embd_precompile_headers(embd_${name} library)
  set_property(GLOBAL APPEND PROPERTY EMBD_LIBRARIES embd_${name})
endfunction()

# embd_add_isa_source(kernels kernels/avx2.cc FLAGS -mavx2 -mfma): a source of a folder that is compiled
# for more than the baseline. It must define nothing that another object may define too, or the
# linker might keep its copy for every machine; tests/engine/kernels checks the objects' symbols.
# -O2, the level of many packagers, -Os, the wheel's, and -Oz, the WebAssembly modules', become -O3
# there: GCC 12 else moves the sums of a tile from register to register in every step, 1.5 times the
# time. Lower levels are for looking inside.
function(embd_add_isa_source name source)
  cmake_parse_arguments(arg "" "" "FLAGS" ${ARGN})
  string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
  if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" MATCHES "-O[2sz]")
    list(APPEND arg_FLAGS -O3)
  endif()
  target_sources(embd_${name} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${arg_FLAGS}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# embd_compile_together(embd_jobs APART a.cc): in a Release build, which is the first that somebody makes, the sources of a target that
# stand in one folder are one for the compiler, which so reads their headers and makes the code of templates once. They hand work on to
# the sources that compute, so they are compiled at -O1: that takes a third off the compiler's time and nothing off the program's speed.
# The sources behind APART are compiled alone and at -O3. With COMPUTES, all sources of the target are compiled at -O3, and APART are
# those that were measured to be slower otherwise. With WHOLE, the target is so small that all its folders are one source. Every other
# build compiles all sources apart and proves that each includes what it uses; so does one without precompiled headers.
function(embd_compile_together target)
  cmake_parse_arguments(arg "COMPUTES;WHOLE" "" "APART" ${ARGN})
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_DISABLE_PRECOMPILE_HEADERS)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${arg_APART})
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    if(arg_WHOLE)
      set(folder "")
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP in_${folder})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-O3" AND NOT arg_COMPUTES)  # CMake's own; whoever asks for another level gets it everywhere
    target_compile_options(${target} PRIVATE -O1)
    set_property(SOURCE ${arg_APART} APPEND PROPERTY COMPILE_OPTIONS -O3)
  endif()
endfunction()

# embd_add_test(mapped_file_test LINKS embd_base): adds the cases of mapped_file_test.cc (or SOURCES) to the GoogleTest program of this
# folder, such as base_tests. Each case is a case of ctest. With ALONE, the source is a program of its own, called as the test.
function(embd_add_test name)
  cmake_parse_arguments(arg "ALONE" "" "SOURCES;LINKS" ${ARGN})
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${name}.cc)
  endif()
  if(WIN32)
    # A test that calls Linux's functions, such as fork(), is not built, unless it leaves out these parts itself.
    foreach(source IN LISTS arg_SOURCES)
      file(STRINGS ${source} calls REGEX "#include .*[</](fcntl|mman|resource|socket|wait|poll|faulty_calls)\\.h[>\"]|::(chmod|mkfifo|pipe)\\(")
      file(STRINGS ${source} conditions REGEX "defined\\(_WIN32\\)")
      if(calls AND NOT conditions)
        return()
      endif()
    endforeach()
  endif()
  set(program ${name})
  if(NOT arg_ALONE)
    cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/tests OUTPUT_VARIABLE folder)
    string(REPLACE "/" "_" program ${folder}_tests)
  endif()
  if(TARGET ${program})
    target_sources(${program} PRIVATE ${arg_SOURCES})
    target_link_libraries(${program} PRIVATE ${arg_LINKS})
    return()
  endif()
  add_executable(${program} ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE ${arg_LINKS} GTest::gtest_main)
  embd_precompile_headers(${program} test)
  if(WIN32)
    target_compile_options(${program} PRIVATE -include ${PROJECT_SOURCE_DIR}/tests/support/windows_names.h)
  endif()
  target_compile_definitions(${program} PRIVATE EMBD_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  # The time to compile a test is longer than the time that -O3 would save in running it.
  target_compile_options(${program} PRIVATE $<$<CONFIG:Release>:-O1>)
  # Files of a test stay inside its build tree, so two trees can be tested at once.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tmp)
  # Named as GoogleTest names them: what it prints of a parameter may be an address.
  gtest_discover_tests(${program} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES ENVIRONMENT TEST_TMPDIR=${PROJECT_BINARY_DIR}/tmp/)
endfunction()
