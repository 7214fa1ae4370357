// Any bytes as each of word2vec's files: opened and every row read.
#include <nlohmann/json.hpp>

#include "formats/vectors/word2vec/word2vec_reader.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace embd;
  const fuzz::MemoryFile file(data, size);
  for (const auto open : {word2vec::open_binary, word2vec::open_text, word2vec::open_text_dims}) {
    const auto reader = open(file.path(), {});
    if (!reader) {
      if (reader.error().message().empty()) __builtin_trap();
      continue;
    }
    if (!nlohmann::json::accept((*reader)->describe())) __builtin_trap();
    if (!(*reader)->ids()) __builtin_trap();
    (void)(*reader)->verify();
  }
  return 0;
}
