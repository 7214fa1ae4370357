# Toolchain for 64-bit ARM processors, used by scripts/check_neon.sh, check_same_bytes.sh and release.sh.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(debian_architecture arm64)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
