# Makes libembd, one library of the objects of all folders, and installs it.
get_property(folders GLOBAL PROPERTY EMBD_LIBRARIES)
set(objects "")
foreach(folder IN LISTS folders)
  list(APPEND objects $<TARGET_OBJECTS:${folder}>)
endforeach()

add_library(embd ${objects})
add_library(embd::embd ALIAS embd)
set_target_properties(embd PROPERTIES
  LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_compile_features(embd INTERFACE cxx_std_23)
target_include_directories(embd INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(embd PRIVATE
  ZLIB::ZLIB OpenSSL::Crypto fmt::fmt
  $<BUILD_INTERFACE:PkgConfig::utf8proc> $<INSTALL_INTERFACE:utf8proc>)
if(NOT EMBD_MINIMAL)
  target_link_libraries(embd PRIVATE
    $<BUILD_INTERFACE:PkgConfig::tomlplusplus> $<INSTALL_INTERFACE:tomlplusplus>
    $<BUILD_INTERFACE:PkgConfig::zstd> $<INSTALL_INTERFACE:zstd>)
  set(EMBD_FORMATS_REQUIRE "tomlplusplus libzstd")
endif()
if(EMBD_STEMMER)
  target_link_libraries(embd PRIVATE $<BUILD_INTERFACE:embd_stemmer> $<INSTALL_INTERFACE:stemmer>)
  set(EMBD_STEMMER_LINK -lstemmer)
endif()
if(OpenMP_CXX_FOUND)
  target_link_libraries(embd PRIVATE $<BUILD_INTERFACE:OpenMP::OpenMP_CXX> $<INSTALL_INTERFACE:${OpenMP_CXX_FLAGS}>)
endif()
if(BUILD_SHARED_LIBS)
  target_link_options(embd PRIVATE LINKER:-z,nodelete)  # the threads that OpenMP keeps outlive dlclose()
endif()

include(CMakePackageConfigHelpers)
install(TARGETS embd EXPORT embd-targets LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(DIRECTORY include/embd TYPE INCLUDE)
install(EXPORT embd-targets NAMESPACE embd:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/embd)
configure_package_config_file(cmake/embd-config.cmake.in ${PROJECT_BINARY_DIR}/embd-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/embd)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/embd-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/embd-config.cmake ${PROJECT_BINARY_DIR}/embd-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/embd)

function(embd_install_pkg_config name)
  # Paths in the .pc file are relative to the place of this file, so that an installation can be moved.
  file(RELATIVE_PATH EMBD_PC_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
embd_install_pkg_config(embd)
