# The folders of the library, each of which may include and link only those before it. The faces
# (c_api, cli and whatever else offers the library to somebody) come after all of them and use no
# other face, but cli starts server. tests/include_directions_test.cmake reads every include.
set(EMBD_FOLDERS base tokenizer formats text engine index vectors analysis jobs)
