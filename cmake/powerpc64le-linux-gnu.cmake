# Toolchain for a processor that has no kernels of its own and runs the portable ones, used by scripts/check_same_bytes.sh --all.
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
set(debian_architecture ppc64el)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
