// Any bytes as JSON Lines, of texts and of vectors.
#include "formats/vectors/jsonl/jsonl_format.h"
#include "tests/fuzz/text_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace embd;
  fuzz::read_texts(data, size, {.format = InputFormat::jsonl, .text_field = {}, .id_field = "id"});
  fuzz::read_texts(data, size,
                   {.format = InputFormat::jsonl, .id_field = "id", .token_ids_field = "ids"});
  const fuzz::MemoryFile file(data, size);
  const auto reader = jsonl::format.open(file.path(), {});
  if (reader && (*reader)->info().dim > size) __builtin_trap();
  if (reader) (void)(*reader)->verify();
  return 0;
}
