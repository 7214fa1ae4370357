# Enables C++, or says in one sentence what is missing.
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(FATAL_ERROR "embd needs a C++23 compiler, and none was found here. On Debian and Ubuntu: apt install g++")
endif()
enable_language(CXX)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19))
  message(FATAL_ERROR "embd needs GCC 12, Clang 19 or a later one; this is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. "
    "CXX names another, such as CXX=g++-12")
endif()
