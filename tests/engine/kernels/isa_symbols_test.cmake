# cmake -DNM=nm -DOBJECTS=a.o;b.o -P isa_symbols_test.cmake
#
# An object compiled for more than the baseline defines its table, or a function that one leads to,
# and nothing weak. If it had a copy of an inline function that another object has too, the linker
# would keep either for all, and a machine without those instructions would run them.
set(checked 0)
foreach(object IN LISTS OBJECTS)
  cmake_path(GET object FILENAME name)
  if(NOT name MATCHES "^((avx2|avx512|neon)[_a-z0-9]*)\\.")
    continue()
  endif()
  set(isa ${CMAKE_MATCH_1})
  execute_process(COMMAND ${NM} --defined-only --format=posix ${object}
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" symbols "${symbols}")
  set(table 0)
  foreach(symbol IN LISTS symbols)
    # Lower case is local to the object, but for weak (v, w) and unique (u) symbols.
    if(NOT symbol MATCHES "^([^ ]+) ([A-Zuvw]) " OR symbol MATCHES "^__odr_asan")
      continue()
    endif()
    if(symbol MATCHES "^_ZN4embd7kernels[0-9]+${isa}(_vnni|_dot|_i8mm|_amx|_bf16|_int8)*_(kernels|products)E [DR] "
        OR symbol MATCHES "^_ZN4embd9distances[0-9]+kAvx(2|512|512Vnni)KernelsE [DR] "
        OR symbol MATCHES "^_ZN4embd9distances[0-9]+avx512_vnni_dot_i8[^ ]+ T ")
      set(table 1)
    else()
      message(SEND_ERROR "${name} defines ${symbol}")
    endif()
  endforeach()
  if(NOT table)
    message(SEND_ERROR "${name} does not define its table")
  endif()
  math(EXPR checked "${checked} + 1")
  message("${name} defines what it is for and nothing else")
endforeach()
if(checked EQUAL 0)
  message("skipped: this platform has no table but the reference")
endif()
