# The oldest compilers and libraries that can build embd. The sentence "To build" of README.md names the same versions; the test
# least_versions compares the two. The oldest version of CMake stands in the first line of CMakeLists.txt.
set(EMBD_LEAST_GCC 12)
set(EMBD_LEAST_CLANG 19)
set(EMBD_LEAST_EIGEN 3.4)
set(EMBD_LEAST_BOOST 1.74)
set(EMBD_LEAST_PYTHON 3.10)  # requires-python of pyproject.toml
