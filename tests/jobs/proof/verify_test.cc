#include "embd/verify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "embd/convert.h"
#include "embd/embed_file.h"
#include "tests/support/files.h"
#include "tests/support/on_windows.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/written_formats.h"

namespace embd {
namespace {

std::filesystem::path data(const std::string& name) {
  return std::filesystem::path(EMBD_TEST_DATA) / "embd" / name;
}

class VerifyTest : public test::TemporaryDirectory {
 protected:
  static constexpr std::size_t num_texts = 30;

  void SetUp() override {
    TemporaryDirectory::SetUp();
    for (std::size_t i = 0; i < num_texts; ++i)
      lines_ += "text " + std::to_string(i) + " of " + std::string(i % 7, 'a') + " words\n";
    test::write_file(texts(), lines_);
  }
  std::filesystem::path texts() const { return path("in.txt"); }
  void embed(const std::string& output, const EmbedOptions& options = {}) const {
    const auto done = embed_file(model_, texts(), {path(output)}, {}, options);
    ASSERT_TRUE(done) << output << ": " << done.error().message();
  }
  Verification verified(const std::string& vectors, const VerifyOptions& options = {}) const {
    const auto found = verify_file(model_, path(vectors), texts(), options);
    EXPECT_TRUE(found) << vectors << ": " << found.error().message();
    return found ? *found : Verification();
  }
  std::optional<ErrorCode> error_of(const std::string& vectors,
                                    const VerifyOptions& options = {}) const {
    const auto found = verify_file(model_, path(vectors), texts(), options);
    return found ? std::nullopt : std::optional(found.error().code());
  }
  /// The rows of a set, of which one value is changed, in a set with the same recipe.
  void write_with_change(const std::string& from, const std::string& to, std::size_t row) const {
    const auto set = open_vectors(path(from)).value();
    Matrix rows(num_texts, set->info().dim);
    ASSERT_TRUE(set->read(0, num_texts, rows.values()));
    rows.row(row)[row % rows.cols()] += 0.25F;
    WriteOptions options;
    options.recipe = set->recipe().value();
    ASSERT_TRUE(write_vectors(path(to), rows, options));
  }

  const Model model_ = Model::open(data("plain.weights")).value();
  std::string lines_;
};

TEST_F(VerifyTest, EveryTypeIsWhatTheTextsMake) {
  using enum OutputType;
  const std::pair<const char*, OutputType> outputs[] = {
      {"a.npy", f32},     {"b.npy", f16},        {"c.npy", int8},       {"d.npy", binary},
      {"a.jsonl", int8},  {"b.jsonl", binary},   {"a.svs", int8},       {"a.parquet", f16},
      {"a.usearch", f32}, {"b.usearch", f16},    {"c.usearch", int8},   {"d.usearch", binary},
      {"a.cvc", f32},     {"a.fifu", automatic}, {"a.fvecs", automatic}};
  for (const auto& [name, type] : outputs) {
    if (test::written({name}).empty()) continue;
    EmbedOptions options;
    options.output.type = type;
    embed(name, options);
    const Verification found = verified(name);
    EXPECT_TRUE(found.has_recipe) << name;
    EXPECT_TRUE(found.is_good()) << name << ": " << found.difference.text();
    EXPECT_EQ(found.difference.rows(), num_texts) << name;
    EXPECT_EQ(found.difference.equal_rows(), num_texts) << name;
  }
}

TEST_F(VerifyTest, WhatQuantizingLosesIsWithinATolerance) {
  EmbedOptions options;
  options.output.write.cvc.compression = CvcOptions::Compression::int8;
  embed("a.cvc", options);
  const Verification found = verified("a.cvc");
  EXPECT_GT(found.difference.largest(), 0);
  EXPECT_FALSE(found.is_good());
  EXPECT_FALSE(found.is_good(found.difference.largest() / 2));
  EXPECT_TRUE(found.is_good(found.difference.largest()));
}

TEST_F(VerifyTest, WindowsAreWhatTheRecipeSays) {
  for (const Windows windows : {Windows::rows, Windows::mean}) {
    EmbedOptions options;
    options.encode.windows = windows;
    options.encode.max_length = 6;
    options.encode.stride = 2;
    embed("a.npy", options);
    const Verification found = verified("a.npy");
    EXPECT_EQ(found.has_window_rows, windows == Windows::rows);
    EXPECT_TRUE(found.is_good()) << found.difference.text();
    EXPECT_EQ(found.num_rows > num_texts, windows == Windows::rows);
  }
}

TEST_F(VerifyTest, OneChangedValueIsFoundWhereverItIs) {
  embed("a.npy");
  for (std::size_t row = 0; row < num_texts; row += 7) {
    write_with_change("a.npy", "b.npy", row);
    const VectorDifference found = verified("b.npy").difference;
    EXPECT_EQ(found.rows() - found.equal_rows(), 1U);
    EXPECT_EQ(found.largest_row(), row);
    EXPECT_EQ(found.largest_value(), row % model_.dim());
    EXPECT_NEAR(found.largest(), 0.25, 1e-6);
  }
}

TEST_F(VerifyTest, MoreOrFewerTextsAreCounted) {
  embed("a.npy");
  test::write_file(texts(), lines_ + "one more\n");
  EXPECT_EQ(verified("a.npy").num_expected, num_texts + 1);
  EXPECT_FALSE(verified("a.npy").is_good());
  test::write_file(texts(), "text 0 of  words\n");
  const Verification found = verified("a.npy");
  EXPECT_EQ(found.num_expected, 1U);
  EXPECT_EQ(found.difference.rows(), 1U);
  EXPECT_FALSE(found.is_good());
}

TEST_F(VerifyTest, ASampleIsOfItsSizeAndItsSeed) {
  embed("a.npy");
  write_with_change("a.npy", "b.npy", 11);
  std::size_t num_found = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const VerifyOptions options = {.sample = 10, .seed = seed};
    const VectorDifference found = verified("b.npy", options).difference;
    EXPECT_EQ(found.rows(), 10U);
    EXPECT_EQ(verified("b.npy", options).difference.text(), found.text());
    if (found.largest() > 0) ++num_found;
  }
  EXPECT_GT(num_found, 0U);
  EXPECT_LT(num_found, 40U);
  EXPECT_EQ(verified("a.npy", {.sample = 1000}).difference.rows(), num_texts);
}

TEST_F(VerifyTest, AnotherModelIsRefusedUnlessForced) {
  const Model model = Model::open(data("pooling_cls.weights")).value();
  const Model other = Model::open(data("pooling_max.weights")).value();
  ASSERT_TRUE(embed_file(model, texts(), {path("a.npy")}));
  EXPECT_TRUE(verify_file(model, path("a.npy"), texts())->is_good());
  const auto refused = verify_file(other, path("a.npy"), texts());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::recipe_mismatch);
  EXPECT_NE(refused.error().message().find("model_sha256"), std::string::npos);
  const auto forced = verify_file(other, path("a.npy"), texts(), {.force = true});
  ASSERT_TRUE(forced) << forced.error().message();
  EXPECT_FALSE(forced->is_good());
}

TEST_F(VerifyTest, OtherOptionsThanTheRecipesAreRefused) {
  embed("a.npy");
  VerifyOptions options;
  options.encode.pooling = Pooling::max;
  EXPECT_EQ(error_of("a.npy", options), ErrorCode::recipe_mismatch);
  options.force = true;
  EXPECT_EQ(error_of("a.npy", options), std::nullopt);
}

TEST_F(VerifyTest, WhatCannotBeComparedIsAnError) {
  EXPECT_EQ(error_of("none.npy"), ErrorCode::not_found);
  ASSERT_TRUE(write_vectors(path("narrow.npy"), Matrix(num_texts, 5)));
  EXPECT_EQ(error_of("narrow.npy"), ErrorCode::bad_count);
  embed("a.npy");
  EXPECT_EQ(error_of("a.npy", {.input = {.text_field = "x"}}), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of("a.npy", {.read = {.format = "cvc"}}), ErrorCode::bad_magic);
  EXPECT_EQ(error_of("a.npy", {.input = {.format = InputFormat::jsonl}}), ErrorCode::bad_json);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(verify_file(model_, path("a.npy"), texts(), {}, stop.get_token()).error().code(),
            ErrorCode::cancelled);
}

TEST_F(VerifyTest, ASetWithoutARecipeIsMadeByTheOptions) {
  EmbedOptions options;
  options.encode.max_length = 5;
  embed("a.npy", options);
  std::filesystem::remove(path("a.npy.recipe.json"));
  EXPECT_FALSE(verified("a.npy").has_recipe);
  EXPECT_FALSE(verified("a.npy").is_good());
  EXPECT_TRUE(verified("a.npy", {.encode = options.encode}).is_good());
}

TEST_F(VerifyTest, DigestsTellBeforeAnythingIsEmbedded) {
  embed("a.npy");
  const auto told = [&](const std::string& vectors) {
    const auto words = compare_digests(path(vectors), texts());
    EXPECT_TRUE(words) << words.error().message();
    return words.value_or("");
  };
  EXPECT_EQ(told("a.npy"), "");
  write_with_change("a.npy", "b.npy", 3);
  EXPECT_EQ(told("b.npy"), "");  // Nobody wrote a digest down.
  test::write_file(texts(), "other " + lines_);
  EXPECT_NE(told("a.npy").find("the texts or the ids"), std::string::npos);
  test::write_file(texts(), lines_ + "one more\n");
  EXPECT_NE(told("a.npy").find("the number of texts is not"), std::string::npos);
}

TEST_F(VerifyTest, ADigestThatWasChangedIsNotBelieved) {
  embed("a.npy");
  const std::filesystem::path file = path("a.npy.recipe.json");
  const auto written = nlohmann::json::parse(test::content(file));
  for (const char* name : {"digest", "recipe_digest", "vectors_digest", "input_digest"}) {
    auto changed = written;
    std::string hex = changed["digest"][name];
    hex[7] = hex[7] == '0' ? '1' : '0';
    changed["digest"][name] = hex;
    test::write_file(file, changed.dump());
    const auto found = compare_digests(path("a.npy"), texts());
    if (found) {
      EXPECT_NE(*found, "") << name;
    } else {
      EXPECT_EQ(found.error().code(), ErrorCode::checksum_mismatch) << name;
    }
  }
}

TEST_F(VerifyTest, AnInputOfOtherBytesIsToldEvenIfItsTextsAreTheSame) {
  embed("a.npy");
  EXPECT_FALSE(verified("a.npy").has_other_input);
  lines_.pop_back();
  test::write_file(texts(), lines_);
  const Verification found = verified("a.npy");
  EXPECT_TRUE(found.has_other_input);
  EXPECT_TRUE(found.is_good());
}

TEST_F(VerifyTest, RangesAreReadByTheSetThatHoldsThem) {
  EmbedOptions options;
  options.output.type = OutputType::int8;
  embed("a.npy", options);
  if (!test::on_windows) {
    std::filesystem::create_directory(path("links"));
    std::filesystem::create_symlink("../a.npy", path("links/b.npy"));
    EXPECT_TRUE(verified("links/b.npy").is_good());
  }
  std::string ranges = test::content(path("a.npy.ranges.npy"));
  ranges[ranges.size() - 4] = static_cast<char>(ranges[ranges.size() - 4] ^ 1);
  test::write_file(path("a.npy.ranges.npy"), ranges);
  EXPECT_EQ(error_of("a.npy"), ErrorCode::checksum_mismatch);
  const auto set = open_vectors(path("a.npy")).value();
  EXPECT_EQ(compare_vectors(*set, *set).error().code(), ErrorCode::checksum_mismatch);
}

/// Two sets of the same rows but for what is changed in the second.
class CompareTest : public test::TemporaryDirectory {
 protected:
  CompareTest() : rows_(4, 3) {
    for (std::size_t i = 0; i < rows_.values().size(); ++i)
      rows_.values()[i] = static_cast<float>(i);
  }
  Comparison compared(const Matrix& rows, const Ids& ids = {}) const {
    EXPECT_TRUE(write_vectors(path("a.npy"), rows_));
    EXPECT_TRUE(write_vectors(path("b.jsonl"), rows, {.ids = ids}));
    const auto a = open_vectors(path("a.npy")).value();
    const auto b = open_vectors(path("b.jsonl")).value();
    return compare_vectors(*a, *b).value();
  }

  Matrix rows_;
};

TEST_F(CompareTest, EqualRowsAreEqualInAnyFormat) {
  EXPECT_TRUE(compared(rows_).is_equal());
  EXPECT_TRUE(compared(rows_, std::vector<std::string>{"0", "1", "2", "3"}).is_equal());
}

TEST_F(CompareTest, ShapesAndIdsThatDifferAreSaid) {
  EXPECT_EQ(compared(Matrix(3, 3)).mismatch, "one set has 4 rows and the other has 3");
  EXPECT_EQ(compared(Matrix(4, 2)).mismatch,
            "the rows of one set have 3 values and the rows of the other have 2");
  EXPECT_EQ(compared(rows_, std::vector<std::uint64_t>{0, 1, 7, 3}).mismatch,
            "row 2 has the id \"2\" in one set and \"7\" in the other");
}

TEST_F(CompareTest, ValuesDifferByTheLargestOfAll) {
  Matrix other = rows_;
  other.row(1)[2] += 0.5F;
  other.row(3)[0] -= 0.25F;
  const Comparison found = compared(other);
  EXPECT_FALSE(found.is_equal());
  EXPECT_TRUE(found.is_equal(0.5));
  EXPECT_EQ(found.difference.text(), "4 rows, 2 equal, largest difference 0.5 (row 1, value 2)");
}

TEST(VectorDifferenceTest, NoNumberIsInfinitelyFarFromOne) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  VectorDifference difference;
  difference.add_row(0, std::array{nan, 1.0F}, std::array{nan, 1.0F});
  EXPECT_EQ(difference.largest(), 0);
  difference.add_row(1, std::array{1.0F, nan}, std::array{1.0F, 1.0F});
  EXPECT_TRUE(std::isinf(difference.largest()));
  EXPECT_EQ(difference.equal_rows(), 1U);
  EXPECT_EQ(difference.largest_value(), 1U);
}

}  // namespace
}  // namespace embd
