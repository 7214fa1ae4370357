# FILE holds what PROGRAM KIND prints.
#
#   cmake -DPROGRAM=<print_options> -DKIND=markdown -DFILE=<file> -P generated_file_test.cmake
execute_process(COMMAND ${PROGRAM} ${KIND} OUTPUT_VARIABLE printed RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${PROGRAM} ${KIND}: ${failed}")
endif()
file(READ ${FILE} written)
if(NOT printed STREQUAL written)
  message(FATAL_ERROR "${FILE} is older than the lists in jobs/options:\n  ${PROGRAM} ${KIND} > ${FILE}")
endif()
