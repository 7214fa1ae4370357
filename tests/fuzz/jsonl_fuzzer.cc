// Any bytes as JSON Lines, of texts and of vectors.
#include "formats/jsonl/jsonl_format.h"
#include "tests/fuzz/text_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace embd;
  fuzz::read_texts(data, size, {.format = InputFormat::jsonl, .text_field = {}, .id_field = "id"});
  const fuzz::MemoryFile file(data, size);
  const auto reader = jsonl::format.open(file.path(), {});
  if (reader && (*reader)->info().dim > size) __builtin_trap();
  if (reader) (void)(*reader)->verify();
  return 0;
}
