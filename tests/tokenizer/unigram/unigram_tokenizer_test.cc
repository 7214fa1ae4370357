#include "tokenizer/unigram/unigram_tokenizer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/gzip.h"
#include "tests/support/split.h"
#include "tests/tokenizer/unigram/tokenizer_json.h"

namespace embd {
namespace {

using Ids = std::vector<std::int32_t>;
using testing::golden_tokenizer_json;
using testing::read_gzip;
using testing::split;

/// The cases of ids.jsonl.gz without a pair and a limit; returns their number.
std::size_t check_golden(const UnigramTokenizer& tokenizer, const char* ids_of_layout) {
  const std::string lines = read_gzip(EMBD_TEST_DATA "/unigram/ids.jsonl.gz");
  UnigramWorker worker(tokenizer);
  std::size_t checked = 0;
  for (const std::string_view line : split(lines, '\n')) {
    const auto row = nlohmann::json::parse(line);
    if (row.contains("max_length")) continue;
    Ids ids{0};
    EXPECT_TRUE(worker.encode(row["text"].get<std::string>(), ids));
    ids.push_back(2);
    EXPECT_EQ(ids, row[row.contains(ids_of_layout) ? ids_of_layout : "ids"].get<Ids>())
        << row["kind"] << " " << line.substr(0, 200);
    ++checked;
  }
  return checked;
}

TEST(UnigramTokenizer, GivesTheIdsOfTheRealOneInLayoutWords) {
  EXPECT_EQ(check_golden(golden_tokenizer_json().tokenizer(), "ids"), 892U);
}

TEST(UnigramTokenizer, GivesTheIdsOfTheRealOneInLayoutSpaces) {
  const auto tokenizer = golden_tokenizer_json().tokenizer({.layout = unigram::Layout::spaces});
  EXPECT_EQ(check_golden(tokenizer, "ids_spaces"), 892U);
}

}  // namespace
}  // namespace embd
