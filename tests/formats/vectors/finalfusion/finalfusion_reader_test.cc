#include "formats/vectors/finalfusion/finalfusion_reader.h"
#include "base/path_text.h"

#include "formats/vectors/formats.h"
#include "tests/formats/vectors/finalfusion/fixture.h"

namespace embd::finalfusion {
namespace {

std::unique_ptr<VectorReader> open(const std::string& name, const ReadOptions& options = {}) {
  auto reader = format.open(fixture(name), options);
  EXPECT_TRUE(reader) << reader.error().message();
  return reader ? std::move(*reader) : nullptr;
}

std::vector<std::vector<float>> rows_of(const VectorReader& reader) {
  std::vector<float> values(reader.info().num_rows * reader.info().dim);
  EXPECT_TRUE(reader.read(0, reader.info().num_rows, values));
  std::vector<std::vector<float>> rows;
  for (std::size_t i = 0; i < reader.info().num_rows; ++i)
    rows.emplace_back(values.begin() + i * reader.info().dim,
                      values.begin() + (i + 1) * reader.info().dim);
  return rows;
}

class GoodFile : public testing::TestWithParam<std::string> {};

TEST_P(GoodFile, HoldsWhatTheReferenceReads) {
  const Json expected = read_json(fixture(GetParam() + ".expected.json"));
  const auto reader = open(GetParam() + ".fifu", {.all_rows = true});
  ASSERT_TRUE(reader);
  const auto num_words = expected["words"].size();

  ASSERT_EQ(reader->info().num_rows, expected["shape"][0]);
  ASSERT_EQ(reader->info().dim, expected["shape"][1]);
  const auto rows = rows_of(*reader);
  const bool quantized = GetParam().starts_with("quant");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(i);
    expect_near(rows[i], floats(expected["matrix"][i]), quantized ? 1e-6 : 0);
  }
  auto ids = std::get<std::vector<std::string>>(*reader->ids());
  ASSERT_EQ(ids.size(), rows.size());
  ids.resize(num_words);
  EXPECT_EQ(ids, expected["words"].get<std::vector<std::string>>());
  EXPECT_EQ(*reader->word_embeddings()->norms(),
            expected["norms"].is_null() ? std::vector<float>{} : floats(expected["norms"]));
  EXPECT_EQ(
      *reader->word_embeddings()->metadata(),
      expected["metadata_text"].is_null() ? "" : expected["metadata_text"].get<std::string>());
  EXPECT_TRUE(reader->verify());
  EXPECT_EQ(*reader->recipe(), std::nullopt);

  const Json described = Json::parse(reader->describe());
  const Json& layout = expected["layout"]["chunks"];
  ASSERT_EQ(described["chunks"].size(), layout.size());
  for (std::size_t i = 0; i < layout.size(); ++i) {
    EXPECT_EQ(described["chunks"][i]["id"], layout[i]["id"]);
    EXPECT_EQ(described["chunks"][i]["offset"], layout[i]["offset"]);
    EXPECT_EQ(described["chunks"][i]["length_field"], layout[i]["len_field"]);
    EXPECT_EQ(described["chunks"][i]["bytes"], layout[i]["actual_len"]);
  }
  EXPECT_EQ(described["metadata"], expected["metadata"]);
}

TEST_P(GoodFile, WordRowsAlone) {
  const Json expected = read_json(fixture(GetParam() + ".expected.json"));
  const auto reader = open(GetParam() + ".fifu");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->info().num_rows, expected["words"].size());
  EXPECT_EQ(*reader->ids(), Ids(expected["words"].get<std::vector<std::string>>()));
  EXPECT_FALSE(reader->word_embeddings()->subwords()->has_value());
}

TEST_P(GoodFile, RowsInPieces) {
  const auto reader = open(GetParam() + ".fifu", {.all_rows = true});
  ASSERT_TRUE(reader);
  const auto rows = rows_of(*reader);
  std::vector<float> row(reader->info().dim);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(reader->read(i, 1, row));
    EXPECT_EQ(row, rows[i]);
  }
  EXPECT_FALSE(reader->read(rows.size(), 1, row));
  EXPECT_FALSE(reader->read(0, 2, row));
  const PlainRowSource* plain = reader->plain_rows();
  ASSERT_EQ(plain != nullptr, !GetParam().starts_with("quant"));
  if (plain == nullptr) return;
  const auto view = plain->view();
  ASSERT_TRUE(view);
  ASSERT_EQ(view->rows(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(view->row(i), rows[i]));
}

INSTANTIATE_TEST_SUITE_P(Fixtures, GoodFile, testing::ValuesIn(good_fixtures()),
                         [](const auto& test) { return test.param; });

TEST(FinalfusionReader, FindsAllFixtures) {
  EXPECT_EQ(good_fixtures().size(), 21U);
}

TEST(FinalfusionReader, SubwordsOfEachVocabulary) {
  for (const std::string name :
       {"bucket_nd_norms", "fasttext_nd_norms", "floret_nd", "floret_nd_meta",
        "explicit_nd_norms_rs", "explicit_nd_norms_py"}) {
    SCOPED_TRACE(name);
    const Json expected = read_json(fixture(name + ".expected.json"));
    const auto subwords = *open(name + ".fifu", {.all_rows = true})->word_embeddings()->subwords();
    ASSERT_TRUE(subwords);
    EXPECT_EQ(subwords->num_words, expected["words"].size());
    EXPECT_EQ(subwords->num_words + subwords->num_rows, expected["shape"][0]);
    EXPECT_EQ(subwords->min_n, expected["min_n"]);
    EXPECT_EQ(subwords->max_n, expected["max_n"]);
    if (expected.contains("ngrams")) {
      ASSERT_EQ(subwords->ngrams.size(), expected["ngrams"].size());
      for (std::size_t i = 0; i < subwords->ngrams.size(); ++i) {
        EXPECT_EQ(subwords->ngrams[i].first, expected["ngrams"][i][0]);
        EXPECT_EQ(subwords->ngrams[i].second, expected["ngrams"][i][1]);
      }
    }
    if (expected.contains("n_hashes")) {
      EXPECT_EQ(subwords->kind, SubwordKind::floret);
      EXPECT_EQ(subwords->num_hashes, expected["n_hashes"]);
      EXPECT_EQ(subwords->seed, expected["seed"]);
      EXPECT_EQ(subwords->begin_of_word, expected["bow"]);
      EXPECT_EQ(subwords->end_of_word, expected["eow"]);
    }
  }
}

TEST(FinalfusionReader, UnnormalizeMultipliesNormsBack) {
  const Json expected = read_json(fixture("bucket_nd_norms.expected.json"));
  const auto reader = open("bucket_nd_norms.fifu", {.all_rows = true, .unnormalize = true});
  const auto norms = floats(expected["norms"]);
  const auto rows = rows_of(*reader);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto wanted = floats(expected["matrix"][i]);
    if (i < norms.size())
      for (float& value : wanted) value *= norms[i];
    EXPECT_EQ(rows[i], wanted) << i;
  }
  EXPECT_TRUE(reader->word_embeddings()->norms()->empty());
  EXPECT_FALSE(reader->plain_rows());
}

struct BadCase {
  std::string name;
  ErrorCode code;
  std::uint64_t offset;
};

class BadFile : public testing::TestWithParam<BadCase> {};

TEST_P(BadFile, IsRefusedWithItsReason) {
  const auto reader = format.open(fixture("bad/" + GetParam().name + ".fifu"), {});
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), GetParam().code) << reader.error().message();
  EXPECT_EQ(reader.error().offset(), GetParam().offset) << reader.error().message();
  EXPECT_TRUE(reader.error().file().ends_with(GetParam().name + ".fifu"));
}

const BadCase bad_cases[] = {
    {"empty", ErrorCode::file_too_short, 0},
    {"bad_magic", ErrorCode::bad_magic, 0},
    {"version_1", ErrorCode::unsupported_version, 4},
    {"nchunks_0", ErrorCode::bad_count, 8},
    {"nchunks_ffffffff", ErrorCode::bad_count, 8},
    {"header_unknown_id_99", ErrorCode::bad_type, 24},
    {"chunk_unknown_id_99_vocab", ErrorCode::bad_type, 163},
    {"order_storage_before_vocab", ErrorCode::bad_type, 20},
    {"order_metadata_last", ErrorCode::bad_type, 312},
    {"trunc_metadata", ErrorCode::file_too_short, 40},
    {"trunc_vocab_in_word", ErrorCode::bad_count, 183},
    {"trunc_vocab_last_word", ErrorCode::file_too_short, 252},
    {"trunc_storage_header", ErrorCode::file_too_short, 281},
    {"trunc_storage_data", ErrorCode::file_too_short, 289},
    {"trunc_storage_last_byte", ErrorCode::file_too_short, 188},
    {"trunc_norms_header", ErrorCode::file_too_short, 456},
    {"trunc_norms_data", ErrorCode::file_too_short, 480},
    {"trunc_quant_quantizers", ErrorCode::file_too_short, 244},
    {"trunc_quant_norms", ErrorCode::file_too_short, 756},
    {"trunc_quant_codes", ErrorCode::file_too_short, 836},
    {"trailing_3_bytes_after_storage", ErrorCode::file_too_short, 428},
    {"trailing_20_zero_bytes_after_storage", ErrorCode::bad_type, 428},
    {"len_metadata_near_2e63", ErrorCode::file_too_short, 40},
    {"vocab_count_near_2e63", ErrorCode::bad_count, 183},
    {"rows_near_2e63", ErrorCode::bad_count, 273},
    {"quant_rows_near_2e63", ErrorCode::bad_count, 224},
    {"rows_times_cols_overflow_2e62", ErrorCode::bad_count, 273},
    {"word_len_ffffffff", ErrorCode::file_too_short, 187},
    {"cols_ffffffff", ErrorCode::file_too_short, 289},
    {"rows_less_than_words", ErrorCode::bad_count, 67},
    {"rows_more_than_words", ErrorCode::bad_count, 67},
    {"dup_words", ErrorCode::duplicate, 50},
    {"word_invalid_utf8", ErrorCode::invalid_utf8, 49},
    {"dtype_f64", ErrorCode::bad_type, 74},
    {"padding_omitted_when_aligned", ErrorCode::file_too_short, 84},
    {"norms_count_less", ErrorCode::bad_count, 464},
    {"meta_bad_toml", ErrorCode::bad_toml, 36},
    {"meta_bad_utf8", ErrorCode::invalid_utf8, 41},
    {"quant_quantized_len_0", ErrorCode::bad_value, 212},
    {"quant_reconstructed_not_multiple", ErrorCode::bad_value, 212},
    {"quant_centroids_0", ErrorCode::bad_value, 212},
    {"quant_code_out_of_range", ErrorCode::bad_value, 915},
    {"bucket_exp_64", ErrorCode::bad_value, 52},
    {"bucket_min_gt_max", ErrorCode::bad_value, 44},
    {"fasttext_buckets_0", ErrorCode::bad_value, 52},
    {"floret_hashes_5", ErrorCode::bad_value, 40},
    {"explicit_index_gap", ErrorCode::bad_value, 82},
    {"explicit_dup_ngram", ErrorCode::duplicate, 76},
};
INSTANTIATE_TEST_SUITE_P(Fixtures, BadFile, testing::ValuesIn(bad_cases),
                         [](const auto& test) { return test.param.name; });

/// Odd, but read alike by both reference libraries.
const std::string odd_files[] = {
    "nchunks_too_few",
    "nchunks_says_5_has_4",
    "header_lists_wrong_storage",
    "len_vocab_0",
    "len_vocab_near_2e63",
    "len_storage_near_2e63",
    "cols_0",
    "rows_0_words_0",
    "padding_nonzero",
    "meta_empty",
    "explicit_ok_small",
    "trailing_20_bytes_after_norms",
    "explicit_index_out_of_order",
};

TEST(FinalfusionReader, AcceptsWhatBothReferencesAccept) {
  for (const std::string& name : odd_files) {
    const auto reader = format.open(fixture("bad/" + name + ".fifu"), {.all_rows = true});
    EXPECT_TRUE(reader) << reader.error().message();
  }
  EXPECT_EQ(open("bad/cols_0.fifu")->info().dim, 0U);
  EXPECT_EQ(open("bad/rows_0_words_0.fifu")->info().num_rows, 0U);
}

TEST(FinalfusionReader, EveryOddFileHasItsTest) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("bad"))) {
    ++files;
    const std::string name = text_of_path(entry.path().stem());
    EXPECT_TRUE(std::ranges::count(odd_files, name) +
                    std::ranges::count(bad_cases, name, &BadCase::name) ==
                1)
        << name;
  }
  EXPECT_EQ(files, std::size(odd_files) + std::size(bad_cases));
}

/// Every cut and every flipped bit is refused or read, without touching a byte outside.
TEST(FinalfusionReader, DamagedFilesNeverCrash) {
  for (const std::string& name : good_fixtures()) {
    const std::string good = read_bytes(fixture(name + ".fifu"));
    const auto try_to_read = [](const std::string& damaged) {
      // Exactly as long, and aligned as a mapped file is, for the sanitizer to see.
      const std::vector<char> copy(damaged.begin(), damaged.end());
      const auto parts = read_parts(std::as_bytes(std::span(copy)));
      if (!parts || parts->storage.num_rows() == 0) return;
      std::vector<float> row(parts->storage.dim());
      parts->storage.read(parts->storage.num_rows() - 1, row);
      (void)parts->vocabulary.subword_rows("word");
    };
    for (std::size_t size = 0; size < good.size(); ++size) try_to_read(good.substr(0, size));
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (const int bit : {0, 4, 7}) {
        std::string damaged = good;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
        try_to_read(damaged);
      }
    }
  }
}

/// The metadata of this one would end a process that gave it to the TOML library unseen.
TEST(FinalfusionReader, RefusesMetadataThatNestsTooDeep) {
  std::string bytes = read_bytes(fixture("bad/meta_empty.fifu"));
  std::string toml = "a";
  for (int i = 0; i < 200000; ++i) toml += ".a";
  toml += "=1";
  const std::size_t length_at = bytes.find(std::string("\5\0\0\0", 4), 16) + 4;
  const std::uint64_t size = toml.size();
  bytes.replace(length_at, sizeof(size), reinterpret_cast<const char*>(&size), sizeof(size));
  bytes.insert(length_at + sizeof(size), toml);
  write_bytes(scratch_file("deep.fifu"), bytes);
  const auto reader = format.open(scratch_file("deep.fifu"), {});
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), ErrorCode::bad_toml);
}

TEST(FinalfusionFormat, KnowsItsMagic) {
  EXPECT_TRUE(format.has_magic("x", as_bytes("FiFu\0\0\0\0")));
  EXPECT_FALSE(format.has_magic("x", as_bytes("FiFU\0\0\0\0")));
  EXPECT_FALSE(format.has_magic("x", as_bytes("FiF")));
}

}  // namespace
}  // namespace embd::finalfusion
