# The oldest compilers and libraries that embd is built with: here, and in the sentence "To build" of README.md, which the test
# least_versions compares with these. CMake's own is the first line of CMakeLists.txt.
set(EMBD_LEAST_GCC 12)
set(EMBD_LEAST_CLANG 19)
set(EMBD_LEAST_EIGEN 3.4)
set(EMBD_LEAST_BOOST 1.74)
set(EMBD_LEAST_PYTHON 3.10)  # requires-python of pyproject.toml
