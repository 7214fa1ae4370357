// Any bytes as a finalfusion file: opened, described, every row decoded, words looked up.
#include <nlohmann/json.hpp>

#include "formats/vectors/finalfusion/finalfusion_embeddings.h"
#include "formats/vectors/formats.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/require.h"

using namespace embd;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  const auto embeddings = finalfusion::Embeddings::open(file.path());
  const auto reader = finalfusion::format.open(file.path(), {.all_rows = true});
  require(embeddings.has_value() == reader.has_value());
  if (!reader) {
    require(!reader.error().message().empty());
    return 0;
  }
  require(nlohmann::json::accept((*reader)->describe()));
  (void)(*reader)->verify();
  (void)(*reader)->word_embeddings()->subwords();
  // Rows of no values may be any number; a projection makes wide rows slow.
  const VectorSetInfo& info = (*reader)->info();
  if (info.dim != 0 && info.dim <= 512) {
    std::vector<float> row(info.dim);
    for (std::uint64_t i = 0; i < info.num_rows; ++i)
      require((*reader)->read(i, 1, row).has_value());
  }
  for (std::uint64_t i = 0; i < embeddings->num_words(); ++i) {
    const auto found = embeddings->lookup(embeddings->word(i));
    require(found && found->row == i);
  }
  if (info.dim <= 512) {
    (void)embeddings->similar("hello", 3);
    (void)embeddings->analogy("a", "日本", "", 3);
  }
  return 0;
}
