# Enables C++. If there is no compiler, or an old one, the configuration ends with one sentence that names the remedy.
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(FATAL_ERROR "embd needs a C++23 compiler, and none was found here. On Debian and Ubuntu: apt install g++")
endif()
enable_language(CXX)
include(${CMAKE_CURRENT_LIST_DIR}/EmbdLeastVersions.cmake)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS EMBD_LEAST_GCC)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS EMBD_LEAST_CLANG))
  message(FATAL_ERROR "embd needs GCC ${EMBD_LEAST_GCC}, Clang ${EMBD_LEAST_CLANG} or a later one; this is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. "
    "CXX names another, such as CXX=g++-12")
endif()
