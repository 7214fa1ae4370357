# Every dependency comes from the distribution (scripts/packages.txt names the Debian packages).
# Those that libembd links are found again by embd-config.cmake.in; keep the two in step.
find_package(PkgConfig REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
