# Toolchain for Windows: Debian's MinGW GCC and the libraries that scripts/port_sysroot.sh puts into build/windows-sysroot. The
# programs that are built run here under Wine.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(triplet x86_64-w64-mingw32)
get_filename_component(EMBD_WINDOWS_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/windows-sysroot ABSOLUTE)
# Of Debian's two variants, this one has the threads of C++.
set(CMAKE_C_COMPILER ${triplet}-gcc-posix)
set(CMAKE_CXX_COMPILER ${triplet}-g++-posix)
set(CMAKE_RC_COMPILER ${triplet}-windres)
set(CMAKE_AR ${triplet}-gcc-ar-posix)
set(CMAKE_RANLIB ${triplet}-gcc-ranlib-posix)
set(CMAKE_CROSSCOMPILING_EMULATOR env;WINEDEBUG=-all;wine)
set(CMAKE_FIND_ROOT_PATH ${EMBD_WINDOWS_SYSROOT} /usr/${triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# The stack is aligned to 16 bytes only, so registers of 32 and 64 bytes are not stored there by instructions that want more. The
# API is that of Windows 10.
set(CMAKE_C_FLAGS_INIT "-D_WIN32_WINNT=0x0A00")
set(CMAKE_CXX_FLAGS_INIT "-D_WIN32_WINNT=0x0A00 -Wa,-muse-unaligned-vector-move")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
