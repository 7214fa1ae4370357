// Any bytes as a fastText model: opened and every row computed.
#include "formats/vectors/word2vec/word_rows.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace embd;
  const fuzz::MemoryFile file(data, size);
  const auto reader = word2vec::open_fasttext(file.path(), {.all_rows = true});
  if (!reader) {
    if (reader.error().message().empty()) __builtin_trap();
    return 0;
  }
  if (!(*reader)->ids() || !(*reader)->word_embeddings()->subwords()) __builtin_trap();
  if (!(*reader)->verify()) __builtin_trap();
  return 0;
}
