// Any bytes as each of word2vec's files, and as the one that the first lines show: opened and every
// row read.
#include <nlohmann/json.hpp>

#include "formats/vectors/formats.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace embd;
  const fuzz::MemoryFile file(data, size);
  for (const std::string name : {"word2vec", "textdims", "text", ""}) {
    const Format& format = word2vec::formats[name == "word2vec" ? 0 : name == "textdims" ? 1 : 2];
    const auto reader = format.open(file.path(), {.format = name});
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
