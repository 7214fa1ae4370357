// Any bytes as a text: the BPE tokenizer against its slow twin, with ranges and without, with a
// space before texts and without. The workers live on, so what their caches hold comes from the
// texts before.
#include <cstdint>
#include <vector>

#include "tests/fuzz/require.h"
#include "tests/tokenizer/bpe/slow_bpe.h"
#include "tests/tokenizer/bpe/small_bpe.h"
#include "tokenizer/tokenizer_worker.h"

namespace {

using namespace embd;
using fuzz::require;

/// A golden vocabulary without added tokens, twice.
class Twins {
 public:
  Twins(const char* name, const bpe::Rules& rules)
      : json_(name),
        rules_(rules),
        tokenizer_(BpeTokenizer::create({.tables = json_.tables(), .special = {0, 0, 0, 0, 0}},
                                        {.rules = rules})
                       .value()),
        slow_(json_.tables(), rules.keeps_unknown ? std::optional(0) : std::nullopt),
        worker_(*tokenizer_) {}

  void check(std::string_view text) {
    std::vector<std::int32_t> expected;
    const bool has_prefix = rules_.add_prefix_space && !text.empty() && text.front() != ' ';
    for (const std::string& word :
         testing::slow_words(has_prefix ? " " + std::string(text) : std::string(text))) {
      const auto ids = slow_.merge(word);
      expected.insert(expected.end(), ids.begin(), ids.end());
    }
    std::vector<std::int32_t> ids;
    require(worker_.encode_plain(text, {}, {&ids}).has_value() && ids == expected);
    std::vector<std::int32_t> again;
    std::vector<ByteRange> ranges;
    require(worker_.encode_plain(text, {}, {.ids = &again, .ranges = &ranges}).has_value());
    require(again == expected && ranges.size() == expected.size());
    std::size_t begin = 0;
    for (const ByteRange& range : ranges) {
      if (range == ByteRange()) continue;
      require(range.begin >= begin && range.end <= text.size() && range.begin < range.end);
      begin = range.begin;
    }
  }

 private:
  testing::BpeJson json_;
  bpe::Rules rules_;
  std::unique_ptr<const BpeTokenizer> tokenizer_;
  testing::SlowMerges slow_;
  TokenizerWorker worker_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Twins roberta("roberta", {});
  static Twins prefixed("roberta", {.add_prefix_space = true});
  static Twins crossed("crossed", {.keeps_unknown = true});
  if (size > 4096) size = 4096;  // The slow twin takes quadratic time.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (Twins* twins : {&roberta, &prefixed, &crossed}) twins->check(text);
  return 0;
}
