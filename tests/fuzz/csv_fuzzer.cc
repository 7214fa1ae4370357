// Any bytes as csv and as tsv, with a header and without.
#include "tests/fuzz/text_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace embd;
  for (const InputFormat format : {InputFormat::csv, InputFormat::tsv}) {
    fuzz::read_texts(data, size, {.format = format, .text_field = {}, .id_field = "id"});
    fuzz::read_texts(data, size,
                     {.format = format, .text_field = "2", .id_field = "1", .has_header = false});
  }
  return 0;
}
