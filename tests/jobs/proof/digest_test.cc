#include "embd/digest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/checksum.h"

namespace embd {
namespace {

struct Row {
  std::uint64_t id;
  std::string text;
  std::vector<float> values;
};

std::vector<Row> some_rows() {
  std::vector<Row> rows;
  std::mt19937 random(7);
  for (std::uint64_t i = 0; i < 40; ++i) {
    Row row = {.id = i * 3, .text = std::string(i % 5, 'x') + "é\n", .values = {}};
    for (int k = 0; k < 6; ++k) row.values.push_back(static_cast<float>(random()) / 1e9F);
    rows.push_back(row);
  }
  return rows;
}

Recipe some_recipe() {
  Recipe recipe;
  recipe.model_sha256 = std::string(64, 'a');
  recipe.compute = "f32";
  return recipe;
}

void update(Digest& digest, const std::vector<Row>& rows, bool with_texts = true) {
  if (rows.empty()) return;
  Matrix matrix(rows.size(), rows[0].values.size());
  std::vector<std::uint64_t> ids;
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(rows[i].values, matrix.values().subspan(i * matrix.cols()).begin());
    ids.push_back(rows[i].id);
    if (with_texts) texts.push_back(rows[i].text);
  }
  ASSERT_TRUE(digest.update(matrix.view(), ids, 0, texts));
}

Digest digest_of(const std::vector<Row>& rows, bool with_texts = true) {
  Digest digest(some_recipe());
  update(digest, rows, with_texts);
  return digest;
}

TEST(Digest, IsTheSameForEveryOrderAndPartition) {
  std::vector<Row> rows = some_rows();
  const Digest whole = digest_of(rows);
  EXPECT_EQ(whole.count(), rows.size());
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(rows, random);
    Digest sum(some_recipe());
    for (std::size_t first = 0; first < rows.size();) {
      const std::size_t count = std::min<std::size_t>(1 + random() % 9, rows.size() - first);
      const auto begin = rows.begin() + std::ptrdiff_t(first);
      ASSERT_TRUE(sum.add(digest_of({begin, begin + std::ptrdiff_t(count)})));
      first += count;
    }
    EXPECT_EQ(sum, whole);
  }
}

TEST(Digest, ChangesWithWhateverChanges) {
  const std::vector<Row> rows = some_rows();
  const Digest whole = digest_of(rows);
  std::vector<std::vector<Row>> wrong(6, rows);
  wrong[0].pop_back();
  wrong[1].push_back(rows[3]);
  wrong[2][5].values[2] = std::nextafter(rows[5].values[2], 0.0F);
  wrong[3][5].text += ' ';
  wrong[4][5].id += 1;
  std::swap(wrong[5][1].values, wrong[5][2].values);
  for (std::size_t i = 0; i < wrong.size(); ++i) EXPECT_NE(digest_of(wrong[i]), whole) << i;
  // Three times the same row is not the row.
  EXPECT_NE(digest_of({rows[0], rows[0], rows[0]}).hex(), digest_of({rows[0]}).hex());
  // Digests of the same inputs agree about them, whatever the vectors are.
  EXPECT_EQ(digest_of(wrong[2]).input_hex(), whole.input_hex());
  EXPECT_EQ(digest_of(wrong[3]).vectors_hex(), whole.vectors_hex());
}

TEST(Digest, IsTheSumOfTheHashesThatTheDocumentDescribes) {
  const std::string recipe = Digest(some_recipe()).recipe_hex();
  const auto number = [](std::uint64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  Matrix matrix(1, 2);
  matrix.values()[0] = 1;
  matrix.values()[1] = -2;
  const std::string floats(reinterpret_cast<const char*>(matrix.values().data()), 8);
  const std::string id = std::string(1, '\1') + number(2) + "ab";
  Digest digest(some_recipe());
  const std::string_view texts[] = {"text"};
  ASSERT_TRUE(digest.update(matrix.view(), std::vector<std::string>{"ab"}, 0, texts));
  const std::string text = number(4) + "text";
  const auto hash = [](const std::string& bytes) { return sha256_hex(as_bytes(bytes)); };
  EXPECT_EQ(digest.hex(), hash("embd digest 1 row" + recipe + id + text + number(2) + floats));
  EXPECT_EQ(digest.vectors_hex(), hash("embd digest 1 vector" + recipe + id + number(2) + floats));
  EXPECT_EQ(digest.input_hex(), hash("embd digest 1 input" + id + text));
}

TEST(Digest, CarriesBetweenItsWords) {
  // 64 rows whose hashes are any numbers: their sum must be that of arithmetic by halves.
  const std::vector<Row> rows = some_rows();
  Digest halves = digest_of({rows.begin(), rows.begin() + 20});
  ASSERT_TRUE(halves.add(digest_of({rows.begin() + 20, rows.end()})));
  EXPECT_EQ(halves.hex(), digest_of(rows).hex());
}

TEST(Digest, NumbersOfRowsStandForMissingIds) {
  const std::vector<Row> rows = some_rows();
  Matrix matrix(2, 6);
  std::vector<std::uint64_t> ids = {10, 11};
  Digest with(some_recipe());
  Digest without(some_recipe());
  ASSERT_TRUE(with.update(matrix.view(), ids, 0));
  ASSERT_TRUE(without.update(matrix.view(), Ids{}, 10));
  EXPECT_EQ(with, without);
}

TEST(Digest, OfAnotherRecipeIsNeverAdded) {
  Recipe other = some_recipe();
  other.compute = "int8";
  Digest digest(some_recipe());
  EXPECT_EQ(digest.add(Digest(other)).error().code(), ErrorCode::recipe_mismatch);
  // Options that do not decide the vectors make no other recipe.
  other = some_recipe();
  other.instruction_set = "avx2";
  other.input_sha256 = "1";
  other.output_type = "f16";
  EXPECT_TRUE(digest.add(Digest(other)));
}

TEST(Digest, WithAndWithoutTextsHaveNoSum) {
  const std::vector<Row> rows = some_rows();
  Digest digest = digest_of(rows);
  EXPECT_EQ(digest.add(digest_of(rows, false)).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(digest_of(rows, false).hex(), digest.vectors_hex());
  Digest empty(some_recipe());
  EXPECT_TRUE(empty.add(digest_of(rows, false)));
  EXPECT_FALSE(empty.has_texts());
}

TEST(Digest, ComesBackFromJson) {
  const std::vector<Row> rows = some_rows();
  for (const Digest& digest :
       {Digest(some_recipe()), digest_of(rows), digest_of(rows, false), Digest()}) {
    const auto back = Digest::from_json(digest.to_json());
    ASSERT_TRUE(back) << back.error().message();
    EXPECT_EQ(*back, digest);
  }
}

TEST(Digest, RefusesJsonThatIsNone) {
  const std::string good = digest_of(some_rows()).to_json();
  for (const char* bad : {"", "[]", "{}", "{\"count\":-1}", "{\"count\":1}"})
    EXPECT_FALSE(Digest::from_json(bad)) << bad;
  std::string upper = good;
  std::ranges::transform(upper, upper.begin(), [](char c) { return c == 'a' ? 'A' : c; });
  EXPECT_FALSE(Digest::from_json(upper));
}

TEST(Digest, RefusesCountsThatDiffer) {
  Digest digest;
  Matrix matrix(2, 3);
  const std::string_view text[] = {"a"};
  EXPECT_FALSE(digest.update(matrix.view(), std::vector<std::uint64_t>{1}, 0));
  EXPECT_FALSE(digest.update(matrix.view(), Ids{}, 0, text));
  EXPECT_EQ(digest.count(), 0U);
}

}  // namespace
}  // namespace embd
