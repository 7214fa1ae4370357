// Any bytes as a document of each kind: the passages keep their rules.
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "jobs/split/blocks.h"
#include "tests/fuzz/require.h"
#include "tests/jobs/split/passage_rules.h"

using namespace embd;
using fuzz::require;

/// The first byte is the limit of tokens, the rest the document.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Model model =
      Model::open(std::filesystem::path(EMBD_TEST_DATA) / "embd/plain.weights").value();
  if (size == 0) return 0;
  const std::uint32_t max_tokens = 32 + data[0] % 8;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (const auto& [name, kind] : document_kind_names) {
    const SplitOptions options = {
        .kind = kind, .max_tokens = max_tokens, .invalid_text = InvalidText::replace};
    const auto passages = test::passages_of({"a.md", text}, model, options);
    require(passages.has_value() == (text.find('\0') == std::string_view::npos));
    if (!passages) continue;
    const splitting::Lines lines(text);
    const std::uint32_t front =
        kind == DocumentKind::markdown ? splitting::front_matter_lines(lines) : 0;
    require(test::broken_rule(text, lines.begin(front), *passages, model, max_tokens).empty());
  }
  return 0;
}
