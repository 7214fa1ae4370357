#include "formats/vectors/finalfusion/finalfusion_writer.h"

#include <random>

#include "base/path_text.h"
#include "formats/vectors/finalfusion/finalfusion_embeddings.h"
#include "formats/vectors/formats.h"
#include "tests/formats/vectors/finalfusion/fixture.h"

namespace embd::finalfusion {
namespace {

using Quantizer = FinalfusionOptions::Quantizer;

using Strings = std::vector<std::string>;

Matrix matrix(std::size_t cols, const std::vector<float>& values) {
  Matrix out(cols == 0 ? 0 : values.size() / cols, cols);
  std::ranges::copy(values, out.values().begin());
  return out;
}

Matrix random_matrix(std::size_t rows, std::size_t cols, unsigned seed = 1) {
  std::mt19937 random(seed);
  Matrix out(rows, cols);
  for (float& value : out.values()) value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
  return out;
}

/// Rows as sentence embeddings are: near a few directions, their values depend on each other.
Matrix correlated_matrix(std::size_t rows, std::size_t cols) {
  const Matrix directions = random_matrix(cols / 4, cols, 2);
  const Matrix weights = random_matrix(rows, cols / 4, 3);
  Matrix out = random_matrix(rows, cols, 4);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      out.row(i)[j] *= 0.1F;
      for (std::size_t k = 0; k < directions.rows(); ++k)
        out.row(i)[j] += weights.row(i)[k] * directions.row(k)[j];
    }
  return out;
}

Strings numbered(std::size_t count) {
  Strings words;
  for (std::size_t i = 0; i < count; ++i) words.push_back("word " + std::to_string(i));
  return words;
}

std::string write(const Matrix& rows, const Ids& ids, const WriteOptions& options = {},
                  std::optional<QuantizationLoss>* loss = nullptr) {
  const auto path = scratch_file("written.fifu");
  auto writer = Writer::create(path, rows.cols(), options);
  EXPECT_TRUE(writer) << writer.error().message();
  EXPECT_TRUE((*writer)->append(rows, ids));
  const auto finished = (*writer)->finish();
  EXPECT_TRUE(finished) << finished.error().message();
  if (loss != nullptr) *loss = (*writer)->loss();
  return read_bytes(path);
}

Result<void> try_to_write(const Matrix& rows, const Ids& ids, const WriteOptions& options = {}) {
  const auto path = scratch_file("refused.fifu");
  auto writer = Writer::create(path, rows.cols(), options);
  if (!writer) return std::unexpected(writer.error());
  if (auto appended = (*writer)->append(rows, ids); !appended) return appended;
  auto finished = (*writer)->finish();
  EXPECT_EQ(finished.has_value(), std::filesystem::exists(path));
  return finished;
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  std::string pair;
  for (const char c : hex) {
    if (c == ' ') continue;
    pair.push_back(c);
    if (pair.size() < 2) continue;
    bytes.push_back(static_cast<char>(std::stoi(pair, nullptr, 16)));
    pair.clear();
  }
  return bytes;
}

TEST(FinalfusionWriter, GoldenBytes) {
  const std::string bytes =
      write(matrix(5, {-1.560829, 1, 2, 3, 4, 5, 6, 7, 8, 9}), Strings{"ab", "c"});
  EXPECT_EQ(bytes.substr(0, 80),
            from_hex("46694675 00000000 02000000 01000000 02000000 01000000 1300000000000000"
                     "0200000000000000 02000000 6162 01000000 63 02000000 3900000000000000"
                     "0200000000000000 05000000 0a000000 00"));
  EXPECT_EQ(bytes.size(), 120U);
}

/// Reads what a reference library wrote and writes it again: the same bytes, whichever vocabulary.
class Rewrite : public testing::TestWithParam<std::string> {};

TEST_P(Rewrite, GivesTheReferenceBytes) {
  const auto path = fixture(GetParam() + ".fifu");
  const auto reader = *format.open(path, {.all_rows = true});
  WriteOptions options;
  options.finalfusion.norms = *reader->word_embeddings()->norms();
  options.finalfusion.metadata = *reader->word_embeddings()->metadata();
  options.finalfusion.subwords = *reader->word_embeddings()->subwords();
  Matrix rows(reader->info().num_rows, reader->info().dim);
  ASSERT_TRUE(reader->read(0, rows.rows(), rows.values()));
  EXPECT_EQ(write(rows, *reader->ids(), options), read_bytes(path));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Rewrite,
                         testing::Values("simple_nd", "simple_nd_norms", "simple_nd_norms_meta",
                                         "simple_nd_norms_meta_py", "bucket_nd_norms",
                                         "fasttext_nd_norms", "fasttext_nd_meta",
                                         "explicit_nd_norms_rs", "floret_nd", "floret_nd_meta",
                                         "pad1_mmap", "pad2_mmap", "pad3_mmap", "pad4_mmap"),
                         [](const auto& test) { return test.param; });

TEST(FinalfusionWriter, ManySmallAppendsAreOneBigOne) {
  const Matrix rows = random_matrix(3000, 100);
  const Strings words = numbered(3000);
  const std::string whole = write(rows, words);
  const auto path = scratch_file("pieces.fifu");
  auto writer = *Writer::create(path, 100, {});
  for (std::size_t i = 0; i < 3000; i += 7) {
    const std::size_t count = std::min<std::size_t>(7, 3000 - i);
    ASSERT_TRUE(writer->append(rows.view().slice(i, count),
                               Strings(words.begin() + i, words.begin() + i + count)));
  }
  ASSERT_TRUE(writer->finish());
  EXPECT_TRUE(read_bytes(path) == whole);
}

/// Rows then go straight to the file.
TEST(FinalfusionWriter, WordsGivenAtTheStartMakeTheSameFile) {
  const Matrix rows = random_matrix(700, 100);
  const Strings words = numbered(700);
  const auto path = scratch_file("ids_first.fifu");
  const auto written = [&](WriteOptions options, std::uint64_t num_ids, bool ids_again = false) {
    options.ids = numbered(num_ids);
    auto writer = *Writer::create(path, 100, options);
    for (std::size_t i = 0; i < 700; i += 70) {
      const Ids some = Strings(words.begin() + i, words.begin() + i + 70);
      auto appended = writer->append(rows.view().slice(i, 70), ids_again ? some : Ids{});
      if (!appended) return std::string(appended.error().what());
    }
    const auto finished = writer->finish();
    return finished ? read_bytes(path) : std::string(finished.error().what());
  };
  EXPECT_TRUE(written({}, 700) == write(rows, words));
  EXPECT_TRUE(written({}, 700, true) == write(rows, words));
  EXPECT_TRUE(written({.finalfusion = {.normalize = true}}, 700) ==
              write(rows, words, {.finalfusion = {.normalize = true}}));
  EXPECT_TRUE(written({.finalfusion = {.quantizer = Quantizer::pq, .bits = 2}}, 700) ==
              write(rows, words, {.finalfusion = {.quantizer = Quantizer::pq, .bits = 2}}));
  Subwords subwords;
  subwords.kind = SubwordKind::bucket;
  subwords.num_words = 700 - 64;
  subwords.num_rows = 64;
  subwords.min_n = 3;
  subwords.max_n = 6;
  EXPECT_TRUE(written({.finalfusion = {.subwords = subwords}}, 700) ==
              write(rows, words, {.finalfusion = {.subwords = subwords}}));

  std::filesystem::remove(path);
  EXPECT_EQ(written({}, 699),
            "at least 700 rows were appended for 699 ids, expected one row for each id");
  EXPECT_EQ(written({}, 701), "700 rows were appended for 701 ids, expected one row for each id");
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(Writer::create(path, 3, {.ids = Strings{"a", "b", "a"}}).error().code(),
            ErrorCode::duplicate);
  EXPECT_EQ(Writer::create(path, 3, {.ids = numbered(5), .finalfusion = {.subwords = subwords}})
                .error()
                .code(),
            ErrorCode::bad_count);
}

TEST(FinalfusionWriter, EdgeShapesAndIdsOfEveryKind) {
  for (const std::size_t dim : {0, 1, 3, 384, 4096}) {
    for (const std::size_t count : {0, 1, 5}) {
      const Matrix rows = random_matrix(count, dim);
      Strings words = {"", "a b", "tab\there\n", std::string("nul\0", 4), "日本 😀"};
      words.resize(count);
      write(rows, words);
      const auto reader = format.open(scratch_file("written.fifu"), {});
      ASSERT_TRUE(reader) << reader.error().message();
      EXPECT_EQ((*reader)->info().dim, dim);
      EXPECT_EQ(*(*reader)->ids(), Ids(words));
      std::vector<float> values(count * dim);
      ASSERT_TRUE((*reader)->read(0, count, values));
      EXPECT_TRUE(std::ranges::equal(values, rows.values()));
    }
  }
  write(random_matrix(2, 3), std::vector<std::uint64_t>{7, 18446744073709551615U});
  EXPECT_EQ(*(*format.open(scratch_file("written.fifu"), {}))->ids(),
            Ids(Strings{"7", "18446744073709551615"}));
  write(random_matrix(2, 3), Ids{});
  EXPECT_EQ(*(*format.open(scratch_file("written.fifu"), {}))->ids(), Ids(Strings{"0", "1"}));
}

TEST(FinalfusionWriter, NormalizeKeepsLengths) {
  write(matrix(2, {3, 4, 0, 0, 0, -2}), Strings{"a", "zero", "b"},
        {.finalfusion = {.normalize = true}});
  const auto reader = *format.open(scratch_file("written.fifu"), {});
  EXPECT_EQ(*reader->word_embeddings()->norms(), (std::vector<float>{5, 0, 2}));
  std::vector<float> values(6);
  ASSERT_TRUE(reader->read(0, 3, values));
  EXPECT_EQ(values, (std::vector<float>{0.6F, 0.8F, 0, 0, 0, -1}));
}

TEST(FinalfusionWriter, RecipeLiesInTheMetadata) {
  Recipe recipe;
  recipe.model_sha256 = std::string(64, 'a');
  recipe.max_length = 256;
  recipe.pooling = Pooling::cls;
  recipe.prompt = "query: \"ü\"\n";
  write(random_matrix(1, 2), Strings{"x"}, {.recipe = recipe});
  EXPECT_EQ(*(*format.open(scratch_file("written.fifu"), {}))->recipe(), recipe);

  const std::string own = "title = \"mine\"\n[embd]\nold = 1\n";
  write(random_matrix(1, 2), Strings{"x"}, {.recipe = recipe, .finalfusion = {.metadata = own}});
  const auto reader = *format.open(scratch_file("written.fifu"), {});
  EXPECT_EQ(*reader->recipe(), recipe);
  EXPECT_EQ(Json::parse(reader->describe())["metadata"]["title"], "mine");
  EXPECT_FALSE(Json::parse(reader->describe())["metadata"]["embd"].contains("old"));
}

TEST(FinalfusionWriter, RefusesWhatNoReaderWouldTake) {
  const Matrix two = random_matrix(2, 4);
  const auto code = [](const Result<void>& result) {
    EXPECT_FALSE(result);
    return result ? ErrorCode::unsupported : result.error().code();
  };
  EXPECT_EQ(code(try_to_write(two, Strings{"a", "a"})), ErrorCode::duplicate);
  EXPECT_EQ(code(try_to_write(two, Strings{"a", "\xff"})), ErrorCode::invalid_utf8);
  EXPECT_EQ(code(try_to_write(two, Strings{"a"})), ErrorCode::invalid_argument);
  EXPECT_EQ(code(try_to_write(two, Strings{"a", "b"}, {.finalfusion = {.metadata = "no toml"}})),
            ErrorCode::bad_toml);
  EXPECT_EQ(code(try_to_write(two, Strings{"a", "b"}, {.finalfusion = {.norms = {1}}})),
            ErrorCode::bad_count);
  EXPECT_EQ(code(try_to_write(two, Strings{"a", "b"},
                              {.svs = {.quantizer = SvsOptions::Quantizer::lvq8}})),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code(try_to_write(two, Strings{"a", "b"},
                              {.finalfusion = {.quantizer = Quantizer::pq, .subquantizers = 3}})),
            ErrorCode::invalid_argument);
  EXPECT_EQ(code(try_to_write(two, Strings{"a", "b"},
                              {.finalfusion = {.quantizer = Quantizer::pq, .bits = 9}})),
            ErrorCode::invalid_argument);
  Subwords subwords;
  subwords.num_words = 1;
  subwords.num_rows = 2;
  EXPECT_EQ(code(try_to_write(two, Strings{"a", "b"}, {.finalfusion = {.subwords = subwords}})),
            ErrorCode::bad_count);
}

TEST(FinalfusionWriter, UnfinishedLeavesNothingBehind) {
  const auto path = scratch_file("gone.fifu");
  {
    auto writer = *Writer::create(path, 4, {});
    ASSERT_TRUE(writer->append(random_matrix(10, 4), Ids{}));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path()))
    EXPECT_FALSE(text_of_path(entry.path().filename()).starts_with(text_of_path(path.filename())));
}

TEST(UniqueWords, NumbersWhatComesAgain) {
  UniqueWords words;
  EXPECT_EQ(words.name("a"), "a");
  EXPECT_EQ(words.name("a"), "a#2");
  EXPECT_EQ(words.name("b"), "b");
  EXPECT_EQ(words.name("a"), "a#3");
  EXPECT_EQ(words.name("a#2"), "a#2#2");
  EXPECT_EQ(words.name("c#2"), "c#2");
  EXPECT_EQ(words.name("c"), "c");
  EXPECT_EQ(words.name("c"), "c#3");
  EXPECT_EQ(words.num_renamed(), 4U);
}

class Quantized : public testing::TestWithParam<std::string> {
 protected:
  const FinalfusionOptions options = {
      .quantizer = value_named(GetParam(), finalfusion_quantizer_names).value(),
      .bits = 6,
      .subquantizers = 4};
};

TEST_P(Quantized, DecodesToWhatTheLossSays) {
  const Matrix rows = correlated_matrix(600, 16);
  std::optional<QuantizationLoss> loss;
  const std::string first = write(rows, numbered(600), {.finalfusion = options}, &loss);
  ASSERT_TRUE(loss);
  EXPECT_LT(loss->cosine, 0.05);
  auto reader = *format.open(scratch_file("written.fifu"), {});
  EXPECT_EQ(reader->info().encoding, GetParam());
  std::vector<float> decoded(rows.values().size());
  ASSERT_TRUE(reader->read(0, 600, decoded));
  reader.reset();  // Windows keeps a file that is mapped.
  double euclidean = 0;
  for (std::size_t i = 0; i < 600; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < 16; ++j)
      squares += std::pow(double{decoded[i * 16 + j]} - rows.row(i)[j], 2);
    euclidean += std::sqrt(squares) / 600;
  }
  EXPECT_NEAR(euclidean, loss->euclidean, 1e-5);
  EXPECT_TRUE(first == write(rows, numbered(600), {.finalfusion = options}));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Quantized, testing::Values("pq", "opq"),
                         [](const auto& test) { return test.param; });

TEST(Quantized, ARotationLosesLess) {
  const Matrix rows = correlated_matrix(600, 16);
  std::optional<QuantizationLoss> pq;
  std::optional<QuantizationLoss> opq;
  write(rows, numbered(600),
        {.finalfusion = {.quantizer = Quantizer::pq, .bits = 6, .subquantizers = 4}}, &pq);
  write(rows, numbered(600),
        {.finalfusion = {.quantizer = Quantizer::opq, .bits = 6, .subquantizers = 4}}, &opq);
  EXPECT_LT(opq->cosine, pq->cosine);
}

TEST(Quantized, FewRowsAreKeptWhole) {
  for (const Quantizer kind : {Quantizer::pq, Quantizer::opq}) {
    for (const std::size_t count : {0, 1, 2, 4}) {
      const Matrix rows = random_matrix(count, 6);
      std::optional<QuantizationLoss> loss;
      write(rows, numbered(count), {.finalfusion = {.quantizer = kind}}, &loss);
      ASSERT_TRUE(loss);
      EXPECT_NEAR(loss->cosine, 0, 1e-6);
      EXPECT_NEAR(loss->euclidean, 0, 1e-5);
    }
  }
}

TEST(Quantized, KeepsSubwordsAndNorms) {
  const auto reader = *format.open(fixture("bucket_nd_norms.fifu"), {.all_rows = true});
  Matrix rows(reader->info().num_rows, reader->info().dim);
  ASSERT_TRUE(reader->read(0, rows.rows(), rows.values()));
  write(rows, *reader->ids(),
        {.finalfusion = {.quantizer = Quantizer::pq,
                         .norms = *reader->word_embeddings()->norms(),
                         .subwords = *reader->word_embeddings()->subwords()}});
  const auto plain = *Embeddings::open(fixture("bucket_nd_norms.fifu"));
  const auto quantized = *Embeddings::open(scratch_file("written.fifu"));
  EXPECT_EQ(quantized.lookup("helloo")->subword_rows, plain.lookup("helloo")->subword_rows);
  EXPECT_EQ(quantized.lookup("hello")->norm, plain.lookup("hello")->norm);
  expect_near(quantized.lookup("helloo")->values, plain.lookup("helloo")->values, 0.2);
}

}  // namespace
}  // namespace embd::finalfusion
