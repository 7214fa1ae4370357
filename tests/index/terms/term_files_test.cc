// The files of a term index: equal bytes, saved whole or not at all, and every fault refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <thread>

#include "embd/terms.h"
#include "tests/support/files.h"
#include "tests/support/on_windows.h"
#include "tests/support/stemmer.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

namespace fs = std::filesystem;
using test::content;
using test::write_file;

constexpr std::array<std::string_view, 5> texts = {
    "The quick brown fox jumps over the lazy dog", "EMBD_KERNELS is 3.14 times faster", "",
    "東京タワー and a dog's café", "dogs dogs dogs \"quoted\" back\\slash"};

class TermFiles : public test::TemporaryDirectory {
 protected:
  void SetUp() override {
    TemporaryDirectory::SetUp();
    if (!test::has_stemmer()) GTEST_SKIP() << test::no_stemmer;
    ASSERT_TRUE(TermIndex::build(texts).value().save(path("x.terms")));
  }
  fs::path file(const std::string& name) const { return path("x.terms") / name; }
  /// Replaces a part of a file, opens the index, and returns the error.
  Error error_with(const std::string& name, std::size_t offset, const std::string& bytes) {
    std::string whole = content(file(name));
    write_file(file(name), std::string(whole).replace(offset, bytes.size(), bytes));
    const auto opened = TermIndex::open(path("x.terms"));
    write_file(file(name), whole);
    return opened ? Error(ErrorCode::cancelled, "the index was opened") : opened.error();
  }
  /// Replaces the content of a file, opens the index, and returns the error.
  Error error_with(const std::string& name, const std::string& text) {
    const std::string whole = content(file(name));
    write_file(file(name), text);
    const auto opened = TermIndex::open(path("x.terms"));
    write_file(file(name), whole);
    return opened ? Error(ErrorCode::cancelled, "the index was opened") : opened.error();
  }
};

template <class T>
std::string bytes_of(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}
constexpr std::size_t header_bytes = 128;
template <class T>
std::size_t place_of(std::size_t i) {
  return header_bytes + i * sizeof(T);
}

TEST_F(TermFiles, HaveTheSameBytesOnEveryMachine) {
  const fs::path stored = fs::path(EMBD_TEST_DATA) / "terms/small.terms";
  EXPECT_EQ(test::files_in(path("x.terms")), test::files_in(stored));
}

TEST_F(TermFiles, AreWhatWasSaved) {
  const TermIndex built = TermIndex::build(texts).value();
  const TermIndex opened = TermIndex::open(path("x.terms")).value();
  EXPECT_EQ(opened.info().recipe, built.info().recipe);
  EXPECT_EQ(opened.info().num_postings, built.info().num_postings);
  const std::vector<std::string> query = {"dog", "embd_kernels", "東京", "3.14"};
  EXPECT_EQ(opened.search(query, 5).value(), built.search(query, 5).value());
  EXPECT_TRUE(opened.check());
  ASSERT_TRUE(opened.save(path("y.terms")));
  EXPECT_EQ(test::files_in(path("x.terms")), test::files_in(path("y.terms")));
}

TEST_F(TermFiles, OfNoRowsAreOpened) {
  for (const std::vector<std::string_view>& none :
       {std::vector<std::string_view>(), std::vector<std::string_view>{"", ""}}) {
    ASSERT_TRUE(TermIndex::build(none).value().save(path("none.terms")));
    const auto index = TermIndex::open(path("none.terms"));
    ASSERT_TRUE(index) << index.error().message();
    EXPECT_EQ(index->num_rows(), none.size());
    EXPECT_TRUE(index->check());
  }
}

TEST_F(TermFiles, ReplaceAnOlderIndexOnly) {
  ASSERT_TRUE(TermIndex::build({}).value().save(path("x.terms")));
  EXPECT_EQ(TermIndex::open(path("x.terms")).value().num_rows(), 0U);
  write_file(file("notes.txt"), "mine");
  EXPECT_EQ(TermIndex::build(texts).value().save(path("x.terms")).error().code(),
            ErrorCode::io_failed);
  EXPECT_EQ(content(file("notes.txt")), "mine");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory()), {}), 1);  // nothing was left
}

TEST_F(TermFiles, AreOfOneIndexWhileAnotherReplacesIt) {
  if (test::on_windows) GTEST_SKIP() << "no exchange of two folders in one step on Windows";
  const TermIndex one = TermIndex::build(texts).value();
  const TermIndex other = TermIndex::build(std::span(texts).first(2)).value();
  std::jthread writer([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i)
      EXPECT_TRUE((i % 2 == 0 ? other : one).save(path("x.terms")));
  });
  for (int i = 0; i < 200; ++i) {
    const auto opened = TermIndex::open(path("x.terms"));
    ASSERT_TRUE(opened) << opened.error().message();
    EXPECT_TRUE(opened->check());
  }
}

TEST_F(TermFiles, OfAnotherKindAreNamed) {
  EXPECT_EQ(TermIndex::open(path("absent.terms")).error().code(), ErrorCode::not_found);
  fs::create_directory(path("empty"));
  EXPECT_EQ(TermIndex::open(path("empty")).error().code(), ErrorCode::bad_magic);
  write_file(path("file"), "text");
  EXPECT_FALSE(TermIndex::open(path("file")));
}

TEST_F(TermFiles, AreAllNeeded) {
  for (const auto& [name, bytes] : test::files_in(path("x.terms"))) {
    fs::remove(file(name));
    const auto opened = TermIndex::open(path("x.terms"));
    ASSERT_FALSE(opened) << name;
    EXPECT_NE(opened.error().message().find(name), std::string::npos) << opened.error().message();
    write_file(file(name), bytes);
  }
}

TEST_F(TermFiles, ThatEndEarlyOrLateAreRefused) {
  for (const auto& [name, bytes] : test::files_in(path("x.terms"))) {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, bytes.size() / 2, bytes.size() - 4, bytes.size() - 1}) {
      const Error error = error_with(name, bytes.substr(0, size));
      EXPECT_NE(error.code(), ErrorCode::cancelled) << name << " of " << size << " bytes";
      EXPECT_NE(error.file().find(name), std::string::npos) << error.message();
    }
    EXPECT_NE(error_with(name, bytes + std::string(4, '\0')).code(), ErrorCode::cancelled) << name;
    EXPECT_NE(error_with(name, bytes + " ").code(), ErrorCode::cancelled) << name;
  }
}

TEST_F(TermFiles, WithWrongNumbersAreRefused) {
  const std::string starts = "indptr.csc.index.npy";
  EXPECT_EQ(error_with(starts, place_of<std::int64_t>(0), bytes_of(std::int64_t{1})).code(),
            ErrorCode::bad_value);
  EXPECT_EQ(error_with(starts, place_of<std::int64_t>(1), bytes_of(std::int64_t{0})).code(),
            ErrorCode::bad_value);
  EXPECT_EQ(error_with(starts, place_of<std::int64_t>(2), bytes_of(std::int64_t{-1})).code(),
            ErrorCode::bad_value);
  EXPECT_EQ(error_with(starts, place_of<std::int64_t>(2), bytes_of(std::int64_t{1} << 40)).code(),
            ErrorCode::bad_value);
  const std::size_t last = content(file(starts)).size() - sizeof(std::int64_t);
  EXPECT_EQ(error_with(starts, last, bytes_of(std::int64_t{1} << 40)).code(), ErrorCode::bad_count);

  const std::string rows = "indices.csc.index.npy";
  EXPECT_EQ(error_with(rows, place_of<std::int32_t>(0), bytes_of(std::int32_t{5})).code(),
            ErrorCode::bad_value);
  EXPECT_EQ(error_with(rows, place_of<std::int32_t>(3), bytes_of(std::int32_t{-1})).code(),
            ErrorCode::bad_value);

  const std::string scores = "data.csc.index.npy";
  for (const float wrong :
       {0.0F, -1.0F, -0.0F, std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(error_with(scores, place_of<float>(2), bytes_of(wrong)).code(), ErrorCode::bad_value)
        << wrong;
  }
}

TEST_F(TermFiles, WithRowsThatDoNotAscendAreRefused) {
  // The column of the stem "dog", which three rows have.
  const std::string vocabulary = content(file("vocab.index.json"));
  const std::size_t column = std::stoul(vocabulary.substr(vocabulary.find("\"dog\":") + 6));
  const std::string starts = content(file("indptr.csc.index.npy"));
  std::int64_t start = 0;
  std::memcpy(&start, starts.data() + place_of<std::int64_t>(column), sizeof(start));
  const std::size_t second = place_of<std::int32_t>(static_cast<std::size_t>(start) + 1);
  for (const std::int32_t row : {0, 4}) {
    const Error error = error_with("indices.csc.index.npy", second, bytes_of(row));
    EXPECT_EQ(error.code(), ErrorCode::bad_value) << row;
    EXPECT_NE(error.message().find("column " + std::to_string(column)), std::string::npos)
        << error.message();
  }
}

/// Postings are checked in blocks of 65,536. The columns of this index begin at 0, at the end of
/// the first block, and within the second, whose end the last one crosses.
TEST_F(TermFiles, AreCheckedWhereBlocksMeet) {
  constexpr int block = 65536;
  auto builder = TermIndexBuilder::create().value();
  for (int row = 0; row < block + 4; ++row) {
    std::string text = row < block ? "aa" : "";
    if (row < 3) text += " bb";
    ASSERT_TRUE(builder.add(text + " cc"));
  }
  ASSERT_TRUE(std::move(builder).finish().value().save(path("x.terms")));
  ASSERT_EQ(TermIndex::open(path("x.terms")).value().info().num_postings, 2U * block + 7);
  struct Change {
    std::size_t posting;
    std::int32_t row;
    std::string column;
  };
  for (const auto& [posting, row, column] :
       {Change{block - 1, block - 2, "column 0"}, Change{block + 1, 0, "column 1"},
        Change{2 * block - 1, block - 5, "column 2"}, Change{2 * block, block - 4, "column 2"},
        Change{2 * block + 6, block + 4, "below"}}) {
    const Error error =
        error_with("indices.csc.index.npy", place_of<std::int32_t>(posting), bytes_of(row));
    EXPECT_EQ(error.code(), ErrorCode::bad_value) << posting;
    EXPECT_NE(error.message().find(column), std::string::npos) << error.message();
  }
  for (const std::size_t posting : {block - 1, block, 2 * block - 1, 2 * block, 2 * block + 6}) {
    const Error error = error_with("data.csc.index.npy", place_of<float>(posting), bytes_of(32.0F));
    EXPECT_EQ(error.code(), ErrorCode::bad_value);
    EXPECT_NE(error.message().find("score " + std::to_string(posting) + " is"), std::string::npos)
        << error.message();
  }
}

TEST_F(TermFiles, WithAnotherVocabularyAreRefused) {
  const std::string name = "vocab.index.json";
  const std::string whole = content(file(name));
  const std::string rest = whole.substr(whole.find(','));
  const std::string first = whole.substr(0, whole.find(','));
  for (const std::string& wrong :
       {std::string("[]"), std::string("{}"), whole.substr(1), "{" + whole, first + "}",
        "{\"zzz\":0" + rest, "{\"\\u0030\":0" + rest, "{\"a\nb\":0" + rest, "{\"\xff\":0" + rest,
        first.substr(0, first.size() - 1) + "1" + rest, first + rest.substr(0, rest.size() - 1),
        first + " " + rest, first + first.substr(1) + rest, std::string("{\"a\\"),
        std::string("{\"a"), std::string("{\"a\\\":0}")}) {
    EXPECT_NE(error_with(name, wrong).code(), ErrorCode::cancelled) << wrong;
  }
}

TEST_F(TermFiles, WithAnotherRecipeAreRefused) {
  const std::string name = "recipe.json";
  const std::string whole = content(file(name));
  const auto with = [&](const std::string& part, const std::string& other) {
    EXPECT_NE(whole.find(part), std::string::npos) << part;
    return error_with(name, std::string(whole).replace(whole.find(part), part.size(), other));
  };
  EXPECT_EQ(with("embd terms", "embd xxxxx").code(), ErrorCode::bad_magic);
  EXPECT_EQ(with("\"version\":1", "\"version\":2").code(), ErrorCode::unsupported_version);
  EXPECT_EQ(with("2.2.0", "3.1.0").code(), ErrorCode::unsupported);
  EXPECT_EQ(with("stems", "sterns").code(), ErrorCode::bad_value);
  EXPECT_EQ(with("\"kind\":\"stems\"", "\"kind\":\"words\"").code(), ErrorCode::bad_value);
  EXPECT_EQ(with("1.2", "-1").code(), ErrorCode::bad_value);
  EXPECT_EQ(with("1.2", "\"1.2\"").code(), ErrorCode::bad_value);
  EXPECT_EQ(with("1.2", "1.20").code(), ErrorCode::bad_value);
  EXPECT_EQ(with("0.75", "2").code(), ErrorCode::bad_value);
  EXPECT_EQ(with(",\"unicode\":\"15.0.0\"", "").code(), ErrorCode::bad_value);
  EXPECT_EQ(error_with(name, "[").code(), ErrorCode::bad_json);
  EXPECT_EQ(error_with(name, "7").code(), ErrorCode::bad_magic);
  EXPECT_EQ(error_with("params.index.json", "{}").code(), ErrorCode::bad_value);
}

TEST_F(TermFiles, AreCheckedNumberByNumber) {
  const auto check_with = [&](const std::string& name, std::size_t offset,
                              const std::string& bytes) {
    std::string whole = content(file(name));
    write_file(file(name), std::string(whole).replace(offset, bytes.size(), bytes));
    const auto checked = TermIndex::open(path("x.terms")).value().check();
    write_file(file(name), whole);
    return checked ? std::string() : checked.error().message();
  };
  EXPECT_NE(check_with("data.csc.index.npy", place_of<float>(3), bytes_of(0.5F)), "");
  EXPECT_NE(check_with("tf.csc.index.npy", place_of<std::uint16_t>(3), bytes_of(std::uint16_t{9})),
            "");
  EXPECT_NE(check_with("lengths.index.npy", place_of<std::uint32_t>(2), bytes_of(std::uint32_t{9})),
            "");
}

}  // namespace
}  // namespace embd
