// Any bytes as a text: the tokenizer against its table-driven twin, its counting, its cut, its
// strict mode. The worker lives on, so what its cache holds comes from the texts before.
#include <algorithm>
#include <cstdint>

#include "base/utf8.h"
#include "tests/fuzz/require.h"
#include "tests/tokenizer/wordpiece/table_tokenizer.h"
#include "tests/tokenizer/wordpiece/test_vocabulary.h"
#include "tokenizer/tokenizer_worker.h"
#include "tokenizer/wordpiece/wordpiece_tokenizer.h"

using namespace embd;
using fuzz::require;

/// The first byte is the maximum length, the rest the text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const WordPieceTokenizer tokenizer(testing::bert_vocabulary());
  static const testing::TableTokenizer twin(EMBD_TEST_DATA "/tokenizer/codepoints_class.tsv.gz",
                                            EMBD_TEST_DATA "/tokenizer/vocab.txt.gz");
  static TokenizerWorker worker(tokenizer);
  if (size == 0) return 0;
  const std::uint32_t max_length = std::max<std::uint32_t>(2, data[0]);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);

  std::vector<std::int32_t> whole;
  const auto encoding = worker.encode(text, {}, {&whole});
  require(encoding && whole == twin.encode(text));
  require(encoding->tokens == whole.size() && !encoding->truncated);

  std::vector<std::int32_t> cut;
  const auto limited = worker.encode(text, {.max_length = max_length}, {&cut});
  require(limited && limited->tokens == whole.size());
  require(limited->truncated == (whole.size() > max_length));
  require(cut.size() == std::min<std::size_t>(whole.size(), max_length));
  require(std::equal(cut.begin(), cut.end() - 1, whole.begin()) && cut.back() == whole.back());

  std::vector<std::int32_t> strict;
  const auto checked = worker.encode(text, {.strict_utf8 = true}, {&strict});
  const auto malformed = find_invalid_utf8(text);
  require(checked.has_value() != malformed.has_value());
  require(checked ? strict == whole : checked.error().offset() == malformed);
  return 0;
}
