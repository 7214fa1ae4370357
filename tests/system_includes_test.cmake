# Only base/os includes the operating system's headers; everything else goes through the headers there,
# which include none themselves. So another platform is another folder beside base/os/linux and
# base/os/windows. OpenSSL's are included for hashes, in base/checksum.cc, and for TLS, as Windows' own
# are in the same client for Windows.
#
#   cmake -DSOURCE=<tree> -P system_includes_test.cmake
cmake_minimum_required(VERSION 3.25)
include(${SOURCE}/cmake/EmbdFolders.cmake)
set(system_header
  "(aio|aliases|alloca|argp|byteswap|dirent|dlfcn|elf|endian|err|execinfo|fcntl|fnmatch|ftw|glob|grp|iconv|ifaddrs|langinfo|libgen|link|malloc|mntent|mqueue|netdb|paths|poll|pthread|pwd|resolv|sched|semaphore|signal|spawn|strings|syscall|sysexits|syslog|termios|ucontext|unistd|utime|utmpx?|wait|wordexp)\\.h")
set(system_folder "(arpa|asm|linux|net|netinet|rpc|sys)/[a-z_0-9/]+\\.h")
set(windows_header "(malloc|io|ntsecapi|psapi|tlhelp32|windows|winhttp|winsock2|ws2tcpip)\\.h")
set(forbidden "^#[ ]*include <(csignal|${system_header}|${windows_header}|${system_folder})>")

set(num_sources 0)
set(num_in_linux 0)
set(wrong "")
foreach(folder IN LISTS EMBD_FOLDERS ITEMS include faces)
  file(GLOB_RECURSE sources ${SOURCE}/${folder}/*.h ${SOURCE}/${folder}/*.cc ${SOURCE}/${folder}/*.inc)
  foreach(source IN LISTS sources)
    math(EXPR num_sources "${num_sources} + 1")
    file(STRINGS ${source} includes REGEX "${forbidden}")
    string(FIND ${source} "${SOURCE}/base/os/linux/" in_linux)
    if(in_linux EQUAL 0)
      list(LENGTH includes count)
      math(EXPR num_in_linux "${num_in_linux} + ${count}")
      continue()
    endif()
    if(source MATCHES "/(base/os/windows/[a-z_]+|faces/cli/http_client_windows)\\.(cc|h)$")
      continue()
    endif()
    if(NOT source MATCHES "/(base/checksum|faces/cli/http_client)\\.cc$")
      file(STRINGS ${source} openssl_includes REGEX "^#[ ]*include <openssl/")
      list(APPEND includes ${openssl_includes})
    endif()
    foreach(include IN LISTS includes)
      list(APPEND wrong "${source}: ${include}")
    endforeach()
  endforeach()
endforeach()

if(num_sources LESS 500 OR num_in_linux LESS 20)
  message(FATAL_ERROR "only ${num_sources} sources, and ${num_in_linux} includes in base/os/linux, found: nothing was checked")
endif()
if(wrong)
  list(JOIN wrong "\n" wrong)
  message(FATAL_ERROR "headers of the operating system outside base/os/linux, or of OpenSSL:\n${wrong}")
endif()
