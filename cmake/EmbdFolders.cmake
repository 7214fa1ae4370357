# The folders of the library. A folder may include and link only the folders before it in this list. The faces (the folders in
# faces/, which offer the library to users) come after all of these folders. A face uses no other face, with one exception: cli starts
# server. tests/include_directions_test.cmake checks every include.
set(EMBD_FOLDERS base tokenizer formats engine index analysis jobs)
