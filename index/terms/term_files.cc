#include "index/terms/term_index_impl.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.h"
#include "base/os/cpu.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/parallel.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/vectors/numpy/npy_header.h"
#include "index/terms/stemmer.h"

namespace embd::term_files {
namespace {

namespace fs = std::filesystem;

// The files of bm25s.
constexpr std::string_view scores_name = "data.csc.index.npy";
constexpr std::string_view rows_name = "indices.csc.index.npy";
constexpr std::string_view starts_name = "indptr.csc.index.npy";
constexpr std::string_view vocabulary_name = "vocab.index.json";
constexpr std::string_view parameters_name = "params.index.json";
// embd's own.
constexpr std::string_view counts_name = "tf.csc.index.npy";
constexpr std::string_view lengths_name = "lengths.index.npy";
constexpr std::string_view recipe_name = "recipe.json";

constexpr std::array all_names = {scores_name,     rows_name,   starts_name,  vocabulary_name,
                                  parameters_name, counts_name, lengths_name, recipe_name};

constexpr std::string_view format_word = "embd terms";
constexpr std::uint64_t format_version = 1;
/// bm25s stores row numbers as int32.
constexpr std::uint64_t max_rows = std::numeric_limits<std::int32_t>::max();

/// Everything that an open index refers to.
struct MappedFiles {
  MappedFile scores;
  MappedFile rows;
  MappedFile starts;
  MappedFile vocabulary;
  MappedFile counts;
  MappedFile lengths;
};

/// Returns the parameters as bm25s reads them. Only the names of the method and the types matter to
/// it; k1 and b have gone into the scores.
std::string parameters_of(const TermRecipe& recipe, std::uint64_t num_rows) {
  return nlohmann::ordered_json{
      {"k1", recipe.k1},      {"b", recipe.b},          {"delta", 0.5},
      {"method", "lucene"},   {"idf_method", "lucene"}, {"dtype", "float32"},
      {"int_dtype", "int32"}, {"num_docs", num_rows},   {"version", "0.3.16"},
      {"backend", "numpy"},
  }
      .dump();
}

std::string recipe_json(const TermRecipe& recipe) {
  nlohmann::ordered_json json = {
      {"format", format_word},
      {"version", format_version},
      {"kind", name_of(recipe.kind, term_kind_names)},
      {"stemmer", name_of(recipe.stemmer, stemmer_names)},
      {"k1", recipe.k1},
      {"b", recipe.b},
  };
  if (!recipe.stemmer_release.empty()) json["stemmer_release"] = recipe.stemmer_release;
  if (!recipe.unicode.empty()) json["unicode"] = recipe.unicode;
  if (!recipe.tokenizer_sha256.empty()) json["tokenizer_sha256"] = recipe.tokenizer_sha256;
  return json.dump();
}

/// Reads the members of recipe.json. A member that is missing or of another type is an error that
/// names it.
class RecipeReader {
 public:
  explicit RecipeReader(const nlohmann::json& json) : json_(json) {}

  Result<std::string> text(const char* name) const {
    if (json_.contains(name) && json_[name].is_string()) return json_[name].get<std::string>();
    return fail(ErrorCode::bad_value, "the member \"{}\" is no text, expected one", name);
  }
  Result<double> number(const char* name) const {
    if (json_.contains(name) && json_[name].is_number()) return json_[name].get<double>();
    return fail(ErrorCode::bad_value, "the member \"{}\" is no number, expected one", name);
  }
  template <class Enum, std::size_t Count>
  Result<Enum> name(const char* name, const EnumNames<Enum, Count>& names) const {
    const std::string word = EMBD_TRY(text(name));
    if (const auto value = value_named(word, names)) return *value;
    return fail(ErrorCode::bad_value, "the member \"{}\" has a value that embd does not know",
                name);
  }

 private:
  const nlohmann::json& json_;
};

Result<TermRecipe> parse_recipe(Bytes file) {
  const nlohmann::json json = EMBD_TRY(parse_json(as_text(file)));
  if (!json.is_object() || json.value("format", nlohmann::json()) != format_word)
    return fail(ErrorCode::bad_magic, "the member \"format\" is not \"{}\"", format_word);
  if (json.value("version", nlohmann::json()) != format_version)
    return fail(ErrorCode::unsupported_version, "the member \"version\" is not {}", format_version);
  const RecipeReader reader(json);
  TermRecipe recipe;
  recipe.kind = EMBD_TRY(reader.name("kind", term_kind_names));
  recipe.stemmer = EMBD_TRY(reader.name("stemmer", stemmer_names));
  recipe.k1 = EMBD_TRY(reader.number("k1"));
  recipe.b = EMBD_TRY(reader.number("b"));
  // Scores are finite then, and not negative.
  if (!(recipe.k1 > 0 && recipe.k1 <= 1000 && recipe.b >= 0 && recipe.b <= 1))
    return fail(ErrorCode::bad_value, "k1 is {} and b is {}, expected 0 < k1 <= 1000, 0 <= b <= 1",
                recipe.k1, recipe.b);
  if ((recipe.kind == TermKind::stems) != (recipe.stemmer == Stemmer::english))
    return fail(ErrorCode::bad_value, "the kind of terms and the stemmer exclude each other");
  if (recipe.kind == TermKind::stems) {
    recipe.stemmer_release = EMBD_TRY(reader.text("stemmer_release"));
    if (recipe.stemmer_release != stemmer_release)
      return fail(ErrorCode::unsupported,
                  "the terms were made with release {} of the stemmer, expected {}: make the index "
                  "again",
                  recipe.stemmer_release, stemmer_release);
  }
  if (recipe.kind == TermKind::tokens)
    recipe.tokenizer_sha256 = EMBD_TRY(reader.text("tokenizer_sha256"));
  else
    recipe.unicode = EMBD_TRY(reader.text("unicode"));
  if (recipe_json(recipe) != as_text(file))
    return fail(ErrorCode::bad_value, "the text is not what embd writes for these values");
  return recipe;
}

/// Returns the elements of an array of one dimension, behind the header that embd writes for as
/// many elements as the file has room for.
template <class T>
Result<std::span<const T>> elements_in(const MappedFile& file, ElementType type) {
  const Bytes bytes = file.bytes();
  const std::size_t header_bytes = numpy::format_header(type, 0).size();
  if (bytes.size() < header_bytes)
    return fail_in(file.path(), ErrorCode::file_too_short, "the file has {} bytes, a header has {}",
                   bytes.size(), header_bytes);
  const std::size_t count = (bytes.size() - header_bytes) / sizeof(T);
  if (as_text(bytes.first(header_bytes)) != numpy::format_header(type, count))
    return fail_in(file.path(), ErrorCode::bad_value,
                   "the header is not that of an array of {} numbers of type {}, for which the "
                   "file has room",
                   count, numpy::type_descr(type));
  if (header_bytes + count * sizeof(T) != bytes.size())
    return fail_in(file.path(), ErrorCode::trailing_bytes, "{} bytes follow the array",
                   bytes.size() - header_bytes - count * sizeof(T));
  // A file is mapped at the beginning of a page, and the header has a multiple of 64 bytes.
  return std::span(reinterpret_cast<const T*>(bytes.data() + header_bytes), count);
}

/// Checks that the columns follow each other and cover all postings, and that none is empty.
Result<void> check_starts(std::span<const std::int64_t> starts, std::uint64_t num_postings) {
  if (starts.empty() || starts.front() != 0)
    return fail(ErrorCode::bad_value, "the first column does not begin at 0");
  for (std::size_t i = 1; i < starts.size(); ++i) {
    if (starts[i] <= starts[i - 1])
      return fail(ErrorCode::bad_value, "column {} begins at {} and ends at {}", i - 1,
                  starts[i - 1], starts[i]);
  }
  if (static_cast<std::uint64_t>(starts.back()) != num_postings)
    return fail(ErrorCode::bad_count, "the columns have {} postings, the file of rows has {}",
                starts.back(), num_postings);
  return {};
}

/// The number of postings that a thread checks at a time: they stay in the processor's cache.
constexpr std::size_t block_postings = std::size_t{1} << 16;
/// No score reaches this: it is at most the logarithm of the number of rows. So sums are finite.
constexpr float too_great_score = 32;

/// Returns true if the rows of the postings [first, behind) exist and ascend in their columns.
/// Compilers make its loops over the postings compare several at a time.
bool are_rows_good(const TermPostings& postings, std::size_t first, std::size_t behind) noexcept {
  const std::span rows = postings.rows;
  std::uint32_t greatest = 0;
  for (std::size_t i = first; i < behind; ++i) greatest = std::max(greatest, rows[i]);
  first = std::max<std::size_t>(first, 1);
  std::uint32_t descents = 0;
  for (std::size_t i = first; i < behind; ++i) descents += rows[i] <= rows[i - 1] ? 1 : 0;
  // Between two columns they may descend.
  auto start = std::ranges::lower_bound(postings.starts, static_cast<std::int64_t>(first));
  for (; static_cast<std::size_t>(*start) < behind; ++start) {
    const auto i = static_cast<std::size_t>(*start);
    descents -= rows[i] <= rows[i - 1] ? 1 : 0;
  }
  return descents == 0 && greatest < postings.lengths.size();
}

/// Returns true if all scores are above 0 and not too great: as integers, their bits are within
/// bounds.
bool are_scores_good(std::span<const float> scores) noexcept {
  constexpr auto too_great = std::bit_cast<std::int32_t>(too_great_score);
  std::int32_t wrong = 0;
  for (const float score : scores) {
    const auto bits = std::bit_cast<std::int32_t>(score);
    wrong |= (bits <= 0 ? 1 : 0) | (bits >= too_great ? 1 : 0);
  }
  return wrong == 0;
}

/// Fails with the fault of rows that are not good.
Result<void> find_wrong_row(const TermPostings& postings) {
  const std::span rows = postings.rows;
  const std::uint32_t greatest = std::ranges::max(rows);
  if (greatest >= postings.lengths.size())
    return fail(ErrorCode::bad_value, "row {} is not below {}, the number of rows", greatest,
                postings.lengths.size());
  for (std::size_t column = 0; column + 1 < postings.starts.size(); ++column) {
    const auto first = static_cast<std::size_t>(postings.starts[column]);
    const auto behind = static_cast<std::size_t>(postings.starts[column + 1]);
    for (std::size_t i = first + 1; i < behind; ++i) {
      if (rows[i] <= rows[i - 1])
        return fail(ErrorCode::bad_value, "row {} follows row {} in column {}, expected ascending",
                    rows[i], rows[i - 1], column);
    }
  }
  return {};
}

/// Fails with the fault of scores that are not good.
Result<void> find_wrong_score(std::span<const float> scores) {
  const auto found = std::ranges::find_if_not(
      scores, [](float score) { return score > 0 && score < too_great_score; });
  return fail(ErrorCode::bad_value, "score {} is {}, expected a number above 0 and below {}",
              found - scores.begin(), *found, too_great_score);
}

/// Checks all postings and reads the vocabulary, on all threads.
Result<TermVocabulary> check_contents(const MappedFiles& files, const TermPostings& postings) {
  const std::size_t num_postings = postings.rows.size();
  const std::size_t num_blocks = (num_postings + block_postings - 1) / block_postings;
  std::atomic<bool> has_wrong_row = false;
  std::atomic<bool> has_wrong_score = false;
  std::optional<Result<TermVocabulary>> vocabulary;
  EMBD_TRY(parallel_for(
      num_blocks + 1, num_blocks > 1 ? available_threads() : 1, [&](std::size_t i) -> Result<void> {
        if (i == 0) {  // it takes the longest
          vocabulary = TermVocabulary::parse(files.vocabulary.bytes(), postings.starts.size() - 1);
          return {};
        }
        const std::size_t first = (i - 1) * block_postings;
        const std::size_t behind = std::min(first + block_postings, num_postings);
        if (!are_rows_good(postings, first, behind)) has_wrong_row = true;
        if (!are_scores_good(postings.scores.subspan(first, behind - first)))
          has_wrong_score = true;
        return {};
      }));
  if (has_wrong_row) EMBD_TRY(in_file(files.rows.path(), find_wrong_row(postings)));
  if (has_wrong_score) EMBD_TRY(in_file(files.scores.path(), find_wrong_score(postings.scores)));
  return in_file(files.vocabulary.path(), *std::move(vocabulary));
}

Result<MappedFile> map(const fs::path& folder, std::string_view name) {
  return MappedFile::open(folder / path_of_text(name));
}

Result<TermPostings> postings_in(const MappedFiles& files) {
  TermPostings postings;
  postings.lengths = EMBD_TRY(elements_in<std::uint32_t>(files.lengths, ElementType::u32));
  if (postings.lengths.size() > max_rows)
    return fail_in(files.lengths.path(), ErrorCode::bad_count, "{} rows, expected at most {}",
                   postings.lengths.size(), max_rows);
  postings.rows = EMBD_TRY(elements_in<std::uint32_t>(files.rows, ElementType::i32));
  postings.scores = EMBD_TRY(elements_in<float>(files.scores, ElementType::f32));
  postings.counts = EMBD_TRY(elements_in<std::uint16_t>(files.counts, ElementType::u16));
  postings.starts = EMBD_TRY(elements_in<std::int64_t>(files.starts, ElementType::i64));
  const auto check_size = [&](const MappedFile& file, std::size_t size) -> Result<void> {
    if (size == postings.rows.size()) return {};
    return fail_in(file.path(), ErrorCode::bad_count, "{} postings, the file of rows has {}", size,
                   postings.rows.size());
  };
  EMBD_TRY(check_size(files.scores, postings.scores.size()));
  EMBD_TRY(check_size(files.counts, postings.counts.size()));
  EMBD_TRY(in_file(files.starts.path(), check_starts(postings.starts, postings.rows.size())));
  return postings;
}

template <class T>
Result<void> write_array(const fs::path& path, ElementType type, std::span<const T> values) {
  OutputFile file = EMBD_TRY(OutputFile::create(path));
  EMBD_TRY(file.write(as_bytes(numpy::format_header(type, values.size()))));
  EMBD_TRY(file.write(std::as_bytes(values)));
  return file.finish();
}

Result<void> write_vocabulary(const fs::path& path, const TermVocabulary& vocabulary) {
  OutputFile file = EMBD_TRY(OutputFile::create(path));
  std::string text = "{";
  for (std::size_t column = 0; column < vocabulary.size(); ++column) {
    vocabulary.append_member(column, text);
    EMBD_TRY(file.write(as_bytes(text)));
    text.clear();
  }
  text += '}';
  EMBD_TRY(file.write(as_bytes(text)));
  return file.finish();
}

}  // namespace

Result<void> check_replaceable(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (std::ranges::find(all_names, text_of_path(entry.path().filename())) != all_names.end())
      continue;
    return fail_in(entry.path(), ErrorCode::io_failed,
                   "embd does not write files of this name, so the directory that contains it is "
                   "not replaced: choose another name for the output, or move the file away");
  }
  if (!error) return {};
  return fail_in(folder, ErrorCode::io_failed, error.message());
}

Result<std::unique_ptr<TermIndex::Impl>> open(const fs::path& folder) {
  if (os::is_folder(folder) && !os::exists(folder / recipe_name))
    return fail_in(folder, ErrorCode::bad_magic, "the folder is no term index: it has no file {}",
                   recipe_name);
  const MappedFile recipe_file = EMBD_TRY(map(folder, recipe_name));
  TermRecipe recipe = EMBD_TRY(in_file(recipe_file.path(), parse_recipe(recipe_file.bytes())));
  MappedFile scores = EMBD_TRY(map(folder, scores_name));
  MappedFile rows = EMBD_TRY(map(folder, rows_name));
  MappedFile starts = EMBD_TRY(map(folder, starts_name));
  MappedFile vocabulary_file = EMBD_TRY(map(folder, vocabulary_name));
  MappedFile counts = EMBD_TRY(map(folder, counts_name));
  MappedFile lengths = EMBD_TRY(map(folder, lengths_name));
  const auto files = std::make_shared<const MappedFiles>(
      std::move(scores), std::move(rows), std::move(starts), std::move(vocabulary_file),
      std::move(counts), std::move(lengths));
  const TermPostings postings = EMBD_TRY(postings_in(*files));
  const MappedFile parameters = EMBD_TRY(map(folder, parameters_name));
  if (as_text(parameters.bytes()) != parameters_of(recipe, postings.lengths.size()))
    return fail_in(parameters.path(), ErrorCode::bad_value,
                   "the text is not what embd writes for the recipe and {} rows",
                   postings.lengths.size());
  TermVocabulary vocabulary = EMBD_TRY(check_contents(*files, postings));
  if (vocabulary.size() + 1 != postings.starts.size())
    return fail_in(files->vocabulary.path(), ErrorCode::bad_count,
                   "{} terms, expected one for each of {} columns", vocabulary.size(),
                   postings.starts.size() - 1);
  return std::make_unique<TermIndex::Impl>(std::move(recipe), postings, std::move(vocabulary),
                                           files);
}

Result<void> write(const TermIndex::Impl& index, const fs::path& folder) {
  OutputDirectory directory = EMBD_TRY(OutputDirectory::create(folder, check_replaceable));
  const fs::path& to = directory.path();
  const TermPostings& postings = index.postings();
  EMBD_TRY(write_array(to / scores_name, ElementType::f32, postings.scores));
  EMBD_TRY(write_array(to / rows_name, ElementType::i32, postings.rows));
  EMBD_TRY(write_array(to / starts_name, ElementType::i64, postings.starts));
  EMBD_TRY(write_array(to / counts_name, ElementType::u16, postings.counts));
  EMBD_TRY(write_array(to / lengths_name, ElementType::u32, postings.lengths));
  EMBD_TRY(write_vocabulary(to / vocabulary_name, index.vocabulary()));
  EMBD_TRY(write_text_file(to / parameters_name,
                           parameters_of(index.recipe(), postings.lengths.size())));
  EMBD_TRY(write_text_file(to / recipe_name, recipe_json(index.recipe())));
  return directory.finish();
}

}  // namespace embd::term_files
