// Every file can be read back, or is refused and leaves nothing: every format × hostile ids,
// prompts, metadata, sections, columns and shapes. EMBD_ROUND_TRIPS=N makes N files of each format
// instead of a few.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "base/utf8.h"
#include "embd/vectors.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/written_formats.h"

namespace embd {
namespace {

using Json = nlohmann::json;

/// One way of writing a file.
struct Target {
  std::string name;       ///< of the test
  std::string file_name;  ///< as given to create_vectors()
  std::function<void(WriteOptions&)> choose = [](WriteOptions&) {};
  /// How far a value may be from what was written, as a share of the largest; 0: every bit is kept.
  double tolerance = 0;
  bool whole_numbers = false;  ///< the format holds nothing else
  std::string opened_as = {};  ///< empty: file_name
  bool has_parts = false;      ///< sections and chunk metadata (CVC)
  bool has_columns = false;    ///< columns (CVC, Parquet)
  bool has_texts = false;      ///< (Parquet)
  bool has_metadata = false;   ///< TOML of its own (finalfusion)
};

void PrintTo(const Target& target, std::ostream* out) {
  *out << target.name;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(engine_);
  }
  bool one_in(std::size_t n) { return below(n) == 0; }
  float normal() { return normal_(engine_); }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<float> normal_;
};

/// Pieces of text that some format takes for its own: separators, quotes, escapes, what is no
/// UTF-8.
std::string hostile_text(Random& random, bool only_utf8) {
  using namespace std::string_literals;
  static const std::vector<std::string> pieces = {"",
                                                  " ",
                                                  "  ",
                                                  "x",
                                                  "item 1",
                                                  "\n",
                                                  "\r",
                                                  "\r\n",
                                                  "\t",
                                                  "\0"s,
                                                  "'",
                                                  "'''",
                                                  "\"",
                                                  "\"\"\"",
                                                  "\\",
                                                  "\\n",
                                                  "\"\n'''",
                                                  "#",
                                                  "[embd]",
                                                  "=",
                                                  "{}",
                                                  "}",
                                                  ",",
                                                  "NaN",
                                                  "1",
                                                  "007",
                                                  "-1",
                                                  "1e9999",
                                                  "\u2028",
                                                  "\ufeff",
                                                  "\u0085",
                                                  "\x7f",
                                                  "\x1b",
                                                  "\ufdd0NaN",
                                                  "\U0001F600",
                                                  "e\u0301",
                                                  "\U0010FFFF",
                                                  "18446744073709551615",
                                                  "embedding",
                                                  "null",
                                                  std::string(300, 'w')};
  static const std::vector<std::string> not_utf8 = {"\xff", "\xc3", "\xed\xa0\x80", "\xf5\x80",
                                                    "\xc0\x80"};
  std::string text;
  for (std::size_t i = random.below(4); i > 0; --i) text += pieces[random.below(pieces.size())];
  if (!only_utf8 && random.one_in(12)) text += not_utf8[random.below(not_utf8.size())];
  return text;
}

Json hostile_value(Random& random, int depth) {
  switch (random.below(depth > 0 ? 8 : 6)) {
    case 0:
      return random.bits();
    case 1:
      return -static_cast<std::int64_t>(random.below(1000));
    case 2:
      return static_cast<double>(random.normal());
    case 3:
      return random.one_in(2);
    case 4:
      return nullptr;
    case 6:
      return Json::array({hostile_value(random, depth - 1)});
    case 7:
      return Json{{hostile_text(random, true), hostile_value(random, depth - 1)}};
    default:
      return hostile_text(random, true);
  }
}

Json hostile_object(Random& random) {
  Json object = Json::object();
  for (std::size_t i = random.below(3); i > 0; --i)
    object[hostile_text(random, true)] = hostile_value(random, 2);
  return object;
}

/// A TOML string in which nothing but letters stands for itself.
std::string toml_string(const std::string& text) {
  std::string out = "\"";
  const std::string json = Json(text).dump(-1, ' ', true);
  // JSON writes what is beyond U+FFFF as two surrogates, which TOML does not know: left as it is.
  const bool has_surrogates = json.find("\\ud") != std::string::npos;
  return has_surrogates ? out + "surrogate\"" : json;
}

/// The content of one file.
struct Content {
  Matrix rows{0, 0};
  Ids ids;
  std::optional<Recipe> recipe;
  std::string metadata;
  std::vector<Json> sections;  ///< equal shares of the rows, the first the larger
  std::vector<Json> chunks;    ///< likewise; null: nothing is said
  std::vector<NumberColumn> columns;
  std::vector<std::vector<std::byte>> column_values;
  std::vector<std::string> texts;
  bool is_plain = true;  ///< nothing that a format may refuse
};

class RoundTrip : public test::TemporaryDirectory, public testing::WithParamInterface<Target> {
 protected:
  Content make_content(Random& random) const;
  Result<void> write(const Content& content, Random& random) const;
  void expect_back(const Content& content) const;
};

Matrix random_rows(Random& random, std::size_t num_rows, std::size_t dim, const Target& target,
                   bool& is_plain) {
  static constexpr std::array special = {-0.0F,
                                         1e-42F,
                                         3.4e38F,
                                         -1e30F,
                                         1.0F / 3,
                                         std::numeric_limits<float>::infinity(),
                                         std::numeric_limits<float>::quiet_NaN()};
  Matrix rows(num_rows, dim);
  const bool is_special = !target.whole_numbers && random.one_in(6);
  for (float& value : rows.values()) {
    value = target.whole_numbers ? static_cast<float>(random.below(128)) : random.normal();
    if (is_special && random.one_in(3)) value = special[random.below(special.size())];
  }
  is_plain = is_plain && !is_special;
  return rows;
}

Ids random_ids(Random& random, std::size_t num_rows, bool& is_plain) {
  switch (random.below(5)) {
    case 0:
      return {};
    case 1: {
      std::vector<std::uint64_t> numbers(num_rows);
      std::iota(numbers.begin(), numbers.end(), random.below(1000));
      return numbers;
    }
    case 2: {
      std::vector<std::uint64_t> numbers(num_rows);
      for (auto& number : numbers) number = random.one_in(3) ? random.below(3) : random.bits();
      if (random.one_in(4) && num_rows > 0) numbers.back() = ~std::uint64_t{0};
      is_plain = false;
      return numbers;
    }
    case 3: {
      std::vector<std::string> words;
      for (std::size_t i = 0; i < num_rows; ++i) words.push_back("word" + std::to_string(i));
      return words;
    }
    default: {
      std::vector<std::string> words;
      for (std::size_t i = 0; i < num_rows; ++i) words.push_back(hostile_text(random, false));
      is_plain = false;
      return words;
    }
  }
}

Recipe random_recipe(Random& random, bool& is_plain) {
  Recipe recipe = {.model_sha256 = "ab", .max_length = 7, .output_type = "f32"};
  recipe.pooling = static_cast<Pooling>(random.below(3));
  recipe.windows = static_cast<Windows>(random.below(3));
  if (recipe.windows != Windows::none) recipe.stride = 5;
  if (random.one_in(3)) recipe.input_sha256 = "cd";
  recipe.prompt = hostile_text(random, false);
  recipe.model_name = hostile_text(random, false);
  if (find_invalid_utf8(recipe.prompt + "." + recipe.model_name)) is_plain = false;
  return recipe;
}

Content RoundTrip::make_content(Random& random) const {
  static constexpr std::array<std::size_t, 7> row_counts = {0, 1, 2, 3, 7, 20, 150};
  static constexpr std::array<std::size_t, 6> dims = {1, 2, 3, 8, 17, 40};
  const Target& target = GetParam();
  Content content;
  const std::size_t num_rows = row_counts[random.below(row_counts.size())];
  content.is_plain = num_rows > 0;  // Not every format can be without rows.
  content.rows =
      random_rows(random, num_rows, dims[random.below(dims.size())], target, content.is_plain);
  content.ids = random_ids(random, num_rows, content.is_plain);
  if (!random.one_in(4)) content.recipe = random_recipe(random, content.is_plain);
  if (target.has_metadata && random.one_in(2)) {
    for (std::size_t i = random.below(4); i > 0; --i)
      content.metadata += toml_string("k" + std::to_string(i) + hostile_text(random, true)) +
                          " = " + toml_string(hostile_text(random, true)) + "\n";
    if (random.one_in(8)) content.metadata += hostile_text(random, false);
    content.is_plain = content.is_plain && content.metadata.empty();
  }
  if (target.has_parts && random.one_in(2)) {
    for (std::size_t i = 1 + random.below(4); i > 0; --i)
      content.sections.push_back(hostile_object(random));
    content.is_plain = false;
  }
  if (target.has_parts && random.one_in(3)) {
    for (std::size_t i = 1 + random.below(3); i > 0 && i <= num_rows; --i)
      content.chunks.push_back(random.one_in(3) ? Json() : hostile_object(random));
    content.is_plain = false;
  }
  if (target.has_texts) {
    for (std::size_t i = 0; i < num_rows; ++i)
      content.texts.push_back(hostile_text(random, !random.one_in(30)));
    content.is_plain = false;
  }
  if (target.has_columns) {
    static constexpr std::array types = {ElementType::f32, ElementType::f16, ElementType::i32,
                                         ElementType::i64, ElementType::i8,  ElementType::u8};
    for (std::size_t i = random.below(3); i > 0; --i) {
      NumberColumn column = {.name = std::to_string(i) + hostile_text(random, false),
                             .type = types[random.below(types.size())],
                             .dim = 1 + random.below(3)};
      std::vector<std::byte> values(num_rows * column.dim * element_bits(column.type) / 8);
      for (std::byte& byte : values) byte = static_cast<std::byte>(random.below(128));
      content.columns.push_back(column);
      content.column_values.push_back(std::move(values));
      content.is_plain = false;
    }
  }
  return content;
}

/// The first row of part `i` of `count` equal shares of the rows.
std::size_t first_of(std::size_t i, std::size_t count, std::size_t num_rows) {
  return (i * num_rows + count - 1) / count;
}

Ids slice(const Ids& ids, std::size_t first, std::size_t count) {
  return std::visit(
      [&](const auto& all) -> Ids {
        if constexpr (std::is_same_v<std::decay_t<decltype(all)>, std::monostate>) {
          return Ids{};
        } else {
          const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
          return std::decay_t<decltype(all)>(begin, begin + static_cast<std::ptrdiff_t>(count));
        }
      },
      ids);
}

Result<void> RoundTrip::write(const Content& content, Random& random) const {
  const std::size_t num_rows = content.rows.rows();
  WriteOptions options;
  GetParam().choose(options);
  options.recipe = content.recipe;
  options.finalfusion.metadata = content.metadata;
  options.columns = content.columns;
  if (random.one_in(2)) options.num_rows = num_rows;
  const bool ids_first = random.one_in(2);
  if (ids_first) options.ids = content.ids;
  auto writer = create_vectors(path(GetParam().file_name), content.rows.cols(), options);
  if (!writer) return std::unexpected(writer.error());
  // Nothing leaves by an early return but the error: what was begun must vanish.
  RowSectionSink* rows = (*writer)->row_sections();
  std::size_t section = 0;
  std::size_t chunk = 0;
  const auto begin_parts = [&](std::size_t row) -> Result<void> {
    for (; section < content.sections.size() &&
           first_of(section, content.sections.size(), num_rows) == row;
         ++section) {
      auto begun = rows->begin_section(content.sections[section].dump());
      if (!begun) return begun;
    }
    for (; chunk < content.chunks.size() && first_of(chunk, content.chunks.size(), num_rows) == row;
         ++chunk) {
      const Json& said = content.chunks[chunk];
      auto begun = rows->begin_chunk(said.is_null() ? "" : said.dump());
      if (!begun) return begun;
    }
    return {};
  };
  for (std::size_t first = 0; first < num_rows;) {
    if (auto begun = begin_parts(first); !begun) return begun;
    std::size_t end = first + 1 + random.below(num_rows - first);
    if (section < content.sections.size())
      end = std::min(end, first_of(section, content.sections.size(), num_rows));
    if (chunk < content.chunks.size())
      end = std::min(end, first_of(chunk, content.chunks.size(), num_rows));
    std::vector<std::span<const std::byte>> columns;
    for (std::size_t c = 0; c < content.columns.size(); ++c) {
      const std::size_t row_bytes = content.column_values[c].size() / num_rows;
      columns.push_back(std::span(content.column_values[c])
                            .subspan(first * row_bytes, (end - first) * row_bytes));
    }
    if (!columns.empty())
      if (auto set = (*writer)->table()->set_columns(columns); !set) return set;
    if (!content.texts.empty()) {
      auto set =
          (*writer)->row_texts()->set_texts(std::span(content.texts).subspan(first, end - first));
      if (!set) return set;
    }
    auto appended = (*writer)->append(content.rows.view().slice(first, end - first),
                                      ids_first ? Ids{} : slice(content.ids, first, end - first));
    if (!appended) return appended;
    first = end;
  }
  if (auto begun = begin_parts(num_rows); !begun) return begun;
  return (*writer)->finish();
}

/// Ids that were not there are the row numbers, and formats of words hold numbers as words.
void expect_same_ids(const Ids& written, const Ids& read, std::size_t num_rows) {
  if (written == read) return;
  Ids expected = written;
  if (std::holds_alternative<std::monostate>(expected)) {
    std::vector<std::uint64_t> numbers(num_rows);
    std::iota(numbers.begin(), numbers.end(), 0U);
    expected = std::move(numbers);
  }
  if (std::holds_alternative<std::vector<std::string>>(read) &&
      std::holds_alternative<std::vector<std::uint64_t>>(expected)) {
    std::vector<std::string> words;
    for (const std::uint64_t number : std::get<std::vector<std::uint64_t>>(expected))
      words.push_back(std::to_string(number));
    expected = std::move(words);
  }
  // Of no rows there are no ids, whatever their kind.
  if (num_rows > 0) {
    EXPECT_TRUE(expected == read);
  }
}

void expect_same_rows(const Matrix& written, const VectorReader& reader, double tolerance) {
  std::vector<float> read(written.values().size());
  const auto done = reader.read(0, written.rows(), read);
  ASSERT_TRUE(done) << done.error().message();
  float largest = 0;
  for (const float value : written.values())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < read.size(); ++i) {
    const float value = written.values()[i];
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(read[i])) << i;
    } else if (tolerance == 0 || std::isinf(value)) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(read[i]), std::bit_cast<std::uint32_t>(value))
          << i << ": " << read[i] << " for " << value;
    } else {
      EXPECT_NEAR(read[i], value, tolerance * static_cast<double>(largest)) << i;
    }
  }
}

/// The shares of `num_rows` rows, each with what was said of it.
std::vector<std::pair<std::size_t, Json>> shares(const std::vector<Json>& parts,
                                                 std::size_t num_rows) {
  std::vector<std::pair<std::size_t, Json>> shares;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end =
        i + 1 < parts.size() ? first_of(i + 1, parts.size(), num_rows) : num_rows;
    shares.emplace_back(end - first_of(i, parts.size(), num_rows), parts[i]);
  }
  return shares;
}
std::vector<std::pair<std::size_t, Json>> shares(const std::vector<RowSection>& parts) {
  std::vector<std::pair<std::size_t, Json>> shares;
  for (const auto& [rows, metadata] : parts)
    shares.emplace_back(rows.end - rows.first, metadata.empty() ? Json() : Json::parse(metadata));
  return shares;
}

void RoundTrip::expect_back(const Content& content) const {
  const Target& target = GetParam();
  const std::size_t num_rows = content.rows.rows();
  ReadOptions options;
  options.any_column = true;
  const auto opened =
      open_vectors(path(target.opened_as.empty() ? target.file_name : target.opened_as), options);
  ASSERT_TRUE(opened) << opened.error().message();
  const VectorReader& reader = **opened;
  const auto verified = reader.verify();
  EXPECT_TRUE(verified) << verified.error().message();
  EXPECT_TRUE(Json::accept(reader.describe()));
  ASSERT_EQ(reader.info().num_rows, num_rows);
  const auto ids = reader.ids();
  ASSERT_TRUE(ids) << ids.error().message();
  expect_same_ids(content.ids, *ids, num_rows);

  const auto recipe = reader.recipe();
  ASSERT_TRUE(recipe) << recipe.error().message();
  std::optional<Recipe> expected = content.recipe;
  if (expected && *recipe) expected->output_type = (*recipe)->output_type;  // that of the file
  EXPECT_TRUE(*recipe == expected);

  if (num_rows == 0 && reader.info().dim == 0) return;  // A file of lines does not say.
  // The widest column of CVC is the one that is read.
  for (const NumberColumn& column : content.columns)
    if (target.has_parts && column.dim >= content.rows.cols()) return;
  ASSERT_EQ(reader.info().dim, content.rows.cols());
  expect_same_rows(content.rows, reader, target.tolerance);
  EXPECT_EQ(reader.row_sections() != nullptr, target.has_parts);
  if (target.has_parts) {
    if (num_rows > 0) {
      EXPECT_EQ(shares(reader.row_sections()->sections()), shares(content.sections, num_rows));
    }
    const bool all_silent = std::ranges::all_of(content.chunks, &Json::is_null);
    EXPECT_EQ(shares(reader.row_sections()->chunks()),
              all_silent ? shares({}) : shares(content.chunks, num_rows));
  }
  EXPECT_EQ(reader.row_texts() != nullptr, target.has_texts);
  if (target.has_texts) {
    EXPECT_EQ(reader.row_texts()->texts(0, num_rows).value(), content.texts);
    EXPECT_EQ(reader.row_texts()->texts(num_rows / 2, num_rows / 3).value(),
              std::vector(content.texts.begin() + std::ptrdiff_t(num_rows / 2),
                          content.texts.begin() + std::ptrdiff_t(num_rows / 2 + num_rows / 3)));
  }
  const TableSource* table = reader.table();
  ASSERT_EQ(table == nullptr ? 0 : table->columns().size(), content.columns.size());
  for (std::size_t c = 0; c < content.columns.size(); ++c) {
    std::vector<std::byte> values;
    ASSERT_TRUE(table->read_column(content.columns[c].name, 0, num_rows, values));
    EXPECT_TRUE(values == content.column_values[c]) << content.columns[c].name;
  }
}

std::size_t num_files() {
  const char* text = std::getenv("EMBD_ROUND_TRIPS");
  return text == nullptr ? 40 : std::strtoull(text, nullptr, 10);
}

TEST_P(RoundTrip, GivesBackWhatWasWrittenOrLeavesNothing) {
  std::size_t num_written = 0;
  for (std::size_t seed = 0; seed < num_files() && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "file " << seed);
    Random random(seed);
    const Content content = make_content(random);
    const Result<void> written = write(content, random);
    if (written) {
      ++num_written;
      expect_back(content);
    } else {
      EXPECT_FALSE(content.is_plain) << written.error().message();
      EXPECT_TRUE(std::filesystem::is_empty(directory())) << written.error().message();
    }
    for (const auto& entry : std::filesystem::directory_iterator(directory()))
      std::filesystem::remove_all(entry.path());
  }
  EXPECT_GT(num_written * 4, num_files());
}

std::vector<Target> targets() {
  using Compression = CvcOptions::Compression;
  using Layout = SvsOptions::Layout;
  const auto cvc = [](Compression compression) {
    return [=](WriteOptions& options) {
      options.cvc = {.compression = compression, .chunk_rows = 40};
    };
  };
  const auto svs = [](Layout layout) {
    return [=](WriteOptions& options) { options.svs.layout = layout; };
  };
  const auto type = [](ElementType stored) {
    return [=](WriteOptions& options) { options.element_type = stored; };
  };
  const auto parquet = [](ParquetOptions::Compression compression, bool texts) {
    return [=](WriteOptions& options) {
      options.parquet = {.compression = compression, .row_group_rows = 40, .texts = texts};
    };
  };
  const auto lvq = [](WriteOptions& options) {
    options.svs.quantizer = SvsOptions::Quantizer::lvq8;
  };
  std::vector<Target> targets = {
      {.name = "npy", .file_name = "out.npy"},
      {.name = "npy_f16",
       .file_name = "out.npy",
       .choose = type(ElementType::f16),
       .tolerance = 1e-3},
      {.name = "npy_i8",
       .file_name = "out.npy",
       .choose = type(ElementType::i8),
       .whole_numbers = true},
      {.name = "jsonl", .file_name = "out.jsonl"},
      {.name = "text", .file_name = "out.txt"},
      {.name = "textdims", .file_name = "out.vec"},
      {.name = "word2vec", .file_name = "out.w2v.bin"},
      {.name = "fvecs", .file_name = "out.fvecs"},
      {.name = "hvecs", .file_name = "out.hvecs", .tolerance = 1e-3},
      {.name = "bvecs", .file_name = "out.bvecs", .whole_numbers = true},
      {.name = "fbin", .file_name = "out.fbin"},
      {.name = "i8bin", .file_name = "out.i8bin", .whole_numbers = true},
      {.name = "finalfusion", .file_name = "out.fifu", .has_metadata = true},
      {.name = "cvc_fp16",
       .file_name = "out.cvc",
       .choose = cvc(Compression::fp16),
       .tolerance = 1e-3,
       .has_parts = true,
       .has_columns = true},
      {.name = "cvc_int8",
       .file_name = "out.cvc",
       .choose = cvc(Compression::int8),
       .tolerance = 0.01,
       .has_parts = true},
      {.name = "cvc_lossless",
       .file_name = "out.cvc",
       .choose = cvc(Compression::lossless),
       .has_parts = true},
      {.name = "cvc_none",
       .file_name = "out.cvc",
       .choose = cvc(Compression::none),
       .has_parts = true,
       .has_columns = true},
      {.name = "svs", .file_name = "out.svs"},
      {.name = "svs_lvq", .file_name = "out.svs", .choose = lvq, .tolerance = 0.02},
      {.name = "svs_file", .file_name = "out.svs", .choose = svs(Layout::file)},
      {.name = "svs_specification",
       .file_name = "out.svs",
       .choose = svs(Layout::specification),
       .opened_as = "out.config"},
      {.name = "svs_config", .file_name = "out.config"},
      {.name = "usearch", .file_name = "out.usearch"},
      {.name = "parquet",
       .file_name = "out.parquet",
       .choose = parquet(ParquetOptions::Compression::none, /*texts=*/true),
       .has_columns = true,
       .has_texts = true},
      {.name = "parquet_zstd",
       .file_name = "out.parquet",
       .choose = parquet(ParquetOptions::Compression::zstd, /*texts=*/false),
       .has_columns = true},
      {.name = "parquet_f16",
       .file_name = "out.parquet",
       .choose = type(ElementType::f16),
       .tolerance = 1e-3},
  };
  std::erase_if(targets, [](const Target& of) { return test::written({of.file_name}).empty(); });
  return targets;
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundTrip, testing::ValuesIn(targets()),
                         [](const auto& target) { return target.param.name; });

}  // namespace
}  // namespace embd
