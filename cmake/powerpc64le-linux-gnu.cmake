# Cross build for ppc64le on Debian or Ubuntu: a processor without a table of its own. What it builds runs under emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
set(CMAKE_C_COMPILER powerpc64le-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER powerpc64le-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-ppc64le-static)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/powerpc64le-linux-gnu/pkgconfig:/usr/share/pkgconfig)
