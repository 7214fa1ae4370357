# A processor without a table of its own, which runs the portable one: scripts/check_same_bytes.sh --all.
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
set(debian_architecture ppc64el)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
