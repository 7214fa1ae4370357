// Any bytes as a text: the Unigram tokenizer in both layouts against its slow twin, with ranges and
// without. The workers live on, so what their caches hold comes from the texts before.
#include <cstdint>
#include <vector>

#include "tests/fuzz/require.h"
#include "tests/tokenizer/unigram/slow_unigram.h"
#include "tests/tokenizer/unigram/tokenizer_json.h"
#include "tokenizer/tokenizer_worker.h"

namespace {

using namespace embd;
using fuzz::require;

/// The golden tokenizer in one layout, twice.
class Twins {
 public:
  explicit Twins(unigram::Layout layout)
      : tokenizer_(testing::golden_tokenizer_json().tokenizer({.layout = layout})),
        slow_(testing::golden_tokenizer_json(), {.layout = layout}),
        worker_(*tokenizer_) {}

  void check(std::string_view text) {
    const auto expected = slow_.encode(text);
    std::vector<std::int32_t> ids;
    require(worker_.encode_plain(text, {}, {&ids}).has_value() == expected.has_value());
    std::vector<std::int32_t> again;
    std::vector<ByteRange> ranges;
    const TokenOutput with_ranges = {.ids = &again, .ranges = &ranges};
    require(worker_.encode_plain(text, {}, with_ranges).has_value() == expected.has_value());
    if (!expected) return;
    require(ids == expected->ids && again == expected->ids && ranges == expected->ranges);
  }

 private:
  std::unique_ptr<const UnigramTokenizer> tokenizer_;
  testing::SlowUnigram slow_;
  TokenizerWorker worker_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Twins words(unigram::Layout::words);
  static Twins spaces(unigram::Layout::spaces);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  words.check(text);
  spaces.check(text);
  return 0;
}
