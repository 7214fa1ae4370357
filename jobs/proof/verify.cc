#include "embd/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "base/elements.h"
#include "base/messages.h"
#include "base/os/file_status.h"
#include "base/path_text.h"
#include "base/try.h"
#include "embd/searcher.h"
#include "formats/text/open_records.h"
#include "jobs/joined_sets.h"
#include "jobs/recipe_check.h"
#include "jobs/record_texts.h"
#include "jobs/row_ids.h"
#include "jobs/sets/format_table.h"
#include "jobs/stored_codes.h"

namespace embd {
namespace {

/// Returns the rows to check in ascending order: all, or VerifyOptions.sample rows that are drawn
/// at random with VerifyOptions.seed.
std::vector<std::uint64_t> rows_to_check(std::uint64_t num_rows, const VerifyOptions& options) {
  std::vector<std::uint64_t> rows(num_rows);
  std::iota(rows.begin(), rows.end(), 0);
  if (options.sample == 0 || options.sample >= num_rows) return rows;
  std::mt19937_64 random(options.seed);
  for (std::uint64_t i = 0; i < options.sample; ++i)
    std::swap(rows[i], rows[i + random() % (num_rows - i)]);
  rows.resize(options.sample);
  std::ranges::sort(rows);
  return rows;
}

/// Gives the texts of the chosen rows, or all texts, to a model, and counts all texts.
class ChosenTexts final : public RecordTexts {
 public:
  /// `rows` has the chosen rows. Null: all texts are given.
  ChosenTexts(RecordReader& reader, const std::vector<std::uint64_t>* rows)
      : reader_(reader), rows_(rows) {}

  Result<bool> next(std::string& text) override {
    while (EMBD_TRY(reader_.next(record_))) {
      const std::uint64_t row = num_texts_++;
      if (rows_ != nullptr && (chosen_ == rows_->size() || (*rows_)[chosen_] != row)) continue;
      ++chosen_;
      std::swap(text, record_.text);
      return true;
    }
    return false;
  }
  RecordReader& reader() noexcept override { return reader_; }
  const Record& record() const noexcept override { return record_; }
  std::uint64_t num_texts() const noexcept { return num_texts_; }

 private:
  RecordReader& reader_;
  const std::vector<std::uint64_t>* rows_;
  Record record_;
  std::uint64_t num_texts_ = 0;
  std::size_t chosen_ = 0;
};

/// A function that converts rows [n, dim] of the model to the rows that a set stores. Empty if it
/// stores them as they are.
using AsStored = std::function<Result<Matrix>(MatrixView)>;

/// Compares each chosen row that the model makes with the stored row, in the type in which it is
/// stored.
class ComparingSink final : public RowSink {
 public:
  /// If `all_come` is true, write() receives all rows, not only the chosen ones.
  ComparingSink(const VectorReader& vectors, const std::vector<std::uint64_t>& rows,
                AsStored as_stored, bool all_come)
      : vectors_(vectors),
        rows_(rows),
        as_stored_(std::move(as_stored)),
        all_come_(all_come),
        type_(stored_type(vectors.info())) {}

  Result<void> write(MatrixView model_rows, std::span<const RowReport>) override {
    const Matrix coded = as_stored_ ? EMBD_TRY(as_stored_(model_rows)) : Matrix();
    const MatrixView rows = as_stored_ ? coded.view() : model_rows;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::uint64_t come = num_come_++;
      if (chosen_ == rows_.size() || (all_come_ && rows_[chosen_] != come)) continue;
      EMBD_TRY(compare(rows_[chosen_++], rows.row(i)));
    }
    return {};
  }
  std::uint64_t num_come() const noexcept { return num_come_; }
  const VectorDifference& difference() const noexcept { return difference_; }

 private:
  /// Returns the type in which rows are compared. Values that are not stored as floats, such as
  /// compressed ones and integers, are compared after decoding; the tolerance is meant for them.
  static ElementType stored_type(const VectorSetInfo& info) {
    if (info.encoding == "fp16") return ElementType::f16;
    for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::f64})
      if (info.encoding == element_name(type)) return type;
    return ElementType::f32;
  }

  Result<void> compare(std::uint64_t row, std::span<const float> made) {
    stored_.resize(made.size());
    made_.resize(made.size());
    EMBD_TRY(vectors_.read(row, 1, stored_));
    elements_.clear();
    EMBD_TRY(elements_from_floats(type_, made, elements_));
    floats_from_elements(type_, elements_, made_);
    difference_.add_row(row, made_, stored_);
    return {};
  }

  const VectorReader& vectors_;
  const std::vector<std::uint64_t>& rows_;
  AsStored as_stored_;
  bool all_come_;
  ElementType type_;
  std::uint64_t num_come_ = 0;
  std::size_t chosen_ = 0;
  std::vector<std::byte> elements_;
  std::vector<float> stored_;
  std::vector<float> made_;
  VectorDifference difference_;
};

Matrix copy_of(MatrixView rows) {
  Matrix copy(rows.rows(), rows.cols());
  std::ranges::copy(rows.values(), copy.data());
  return copy;
}

/// Returns the function that converts rows as the set stores them: to codes, as the set itself says
/// how (VectorReader::codes), and to the codes of its format.
Result<AsStored> as_stored(const VectorReader& vectors) {
  StoredCodes codes = EMBD_TRY(stored_codes(vectors));
  const auto of_format = format_of(vectors.info()).as_stored;
  if (codes.type == OutputType::automatic && of_format == nullptr) return AsStored();
  return [codes = std::move(codes), of_format,
          type = vectors.info().element_type](MatrixView rows) -> Result<Matrix> {
    Matrix coded = EMBD_TRY(as_codes(codes, copy_of(rows)));
    return of_format != nullptr ? of_format(coded, type) : std::move(coded);
  };
}

/// Returns true if reading the set gives exactly the float32 values that were written.
bool holds_rows_as_made(const VectorReader& vectors, const std::optional<Recipe>& recipe) {
  const VectorSetInfo& info = vectors.info();
  const bool is_exact =
      info.encoding == "f32" || info.encoding == "lossless" || info.encoding == "none";
  return is_exact && info.element_type == ElementType::f32 && recipe &&
         !are_codes(recipe->output_type);
}

/// Returns true if all files are regular ones.
bool can_be_read_again(const std::vector<std::filesystem::path>& files) {
  return std::ranges::all_of(files, os::is_file);
}

/// Says how two sets differ in the shape of their rows or in ids. Returns an empty string if they
/// do not.
Result<std::string> shape_mismatch(const VectorReader& a, const VectorReader& b) {
  const VectorSetInfo& info_a = a.info();
  const VectorSetInfo& info_b = b.info();
  if (info_a.num_rows != info_b.num_rows)
    return fmt::format("one set has {} rows and the other has {}", info_a.num_rows,
                       info_b.num_rows);
  if (info_a.dim != info_b.dim)
    return fmt::format("the rows of one set have {} values and the rows of the other have {}",
                       info_a.dim, info_b.dim);
  if (!same_ranges(EMBD_TRY(stored_codes(a)).ranges, EMBD_TRY(stored_codes(b)).ranges))
    return std::string("the rows are int8 codes, but of other ranges in one set than in the other");
  const Ids ids_a = EMBD_TRY(a.ids());
  const Ids ids_b = EMBD_TRY(b.ids());
  for (std::uint64_t row = 0; row < info_a.num_rows; ++row) {
    const std::string id_a = id_text(ids_a, row);
    const std::string id_b = id_text(ids_b, row);
    if (id_a != id_b)
      return fmt::format("row {} has the id {:?} in one set and {:?} in the other", row, id_a,
                         id_b);
  }
  return std::string();
}

double distance(float a, float b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

}  // namespace

Result<Verification> verify_records(const Model& model, const std::filesystem::path& path,
                                    RecordReader& texts, const VerifyOptions& options,
                                    std::stop_token stop) {
  return guarded([&]() -> Result<Verification> {
    const auto reader = EMBD_TRY(open_vectors(path, options.read));
    const VectorReader& vectors = *reader;
    const VectorSetInfo& info = vectors.info();
    const std::optional<Recipe> recipe = EMBD_TRY(vectors.recipe());
    EncodeOptions encode = options.encode;
    if (recipe) {
      encode = options_of(*recipe, encode, model);
      // Token ids include the prompt, if there was one.
      if (texts.has_token_ids()) encode.prompt = options.encode.prompt;
      EMBD_TRY(check_recipe(*recipe, model, encode, text_of_path(path), options.force));
    }
    const std::uint64_t dim = encode.truncate_dim != 0 ? encode.truncate_dim : model.dim();
    const StoredCodes codes = EMBD_TRY(stored_codes(vectors));
    if (info.num_rows > 0 && codes.encoded_dim != dim) {
      return fail_in(path, ErrorCode::bad_count,
                     "the rows have {} values, but this model gives vectors of {} values: name the "
                     "model that made the rows",
                     codes.encoded_dim, dim);
    }
    const std::vector<std::uint64_t> rows = rows_to_check(info.num_rows, options);
    // The number of a window's row is known only if all texts before it were tokenized.
    const bool all_come = encode.windows == Windows::rows;
    ChosenTexts chosen(texts, all_come ? nullptr : &rows);
    ComparingSink sink(vectors, rows, EMBD_TRY(as_stored(vectors)), all_come);
    EMBD_TRY(encode_records(model, chosen, sink, encode, std::move(stop)));
    const std::string input = texts.sha256();
    const bool is_known = recipe && !recipe->input_sha256.empty() && !input.empty();
    return Verification{.has_recipe = recipe.has_value(),
                        .has_window_rows = all_come,
                        .has_other_input = is_known && input != recipe->input_sha256,
                        .num_rows = info.num_rows,
                        .num_expected = all_come ? sink.num_come() : chosen.num_texts(),
                        .difference = sink.difference()};
  });
}

Result<Verification> verify_file(const Model& model, const std::filesystem::path& vectors,
                                 const std::filesystem::path& texts, const VerifyOptions& options,
                                 std::stop_token stop) {
  const auto records = EMBD_TRY(open_records(texts, options.input, stop));
  return verify_records(model, vectors, *records, options, std::move(stop));
}

Result<std::string> compare_digests(const std::filesystem::path& vectors,
                                    const std::filesystem::path& texts, const ReadOptions& read,
                                    const InputOptions& input) {
  return compare_digests(vectors, std::span(&texts, 1), read, input);
}

Result<std::string> compare_digests(const std::filesystem::path& vectors,
                                    std::span<const std::filesystem::path> texts,
                                    const ReadOptions& read, const InputOptions& input) {
  return guarded([&]() -> Result<std::string> {
    const auto reader = EMBD_TRY(open_vectors(vectors, read));
    const auto recorded = EMBD_TRY(recorded_digest(*reader, read));
    if (!recorded || !can_be_read_again(EMBD_TRY(input_files(texts)))) return std::string();
    if (!recorded->has_texts()) texts = {};
    const auto found = digest_file(vectors, read, texts, input);
    if (!found && found.error().code() == ErrorCode::bad_count)
      return fmt::format("the number of texts is not the number of rows: {}", found.error().what());
    if (!found) return std::unexpected(found.error());
    if (found->count() != recorded->count())
      return fmt::format("there are {} rows, but {} were written", found->count(),
                         recorded->count());
    const auto damaged = [&] {
      return fail_in(vectors, ErrorCode::checksum_mismatch,
                     "the digest beside the vectors is not the one that was written with them: the "
                     "file that holds it, or the recipe, was changed");
    };
    if (found->recipe_hex() != recorded->recipe_hex()) return damaged();
    if (found->input_hex() != recorded->input_hex())
      return "the texts or the ids differ from those from which the vectors were made";
    // Rows in a narrower type are not those of which the digest is.
    if (!holds_rows_as_made(*reader, EMBD_TRY(reader->recipe()))) return std::string();
    if (found->vectors_hex() != recorded->vectors_hex())
      return "the vectors differ from those that were written";
    if (*found != *recorded) return damaged();
    return std::string();
  });
}

Result<Comparison> compare_vectors(const VectorReader& a, const VectorReader& b) {
  return guarded([&]() -> Result<Comparison> {
    Comparison comparison;
    comparison.mismatch = EMBD_TRY(shape_mismatch(a, b));
    if (!comparison.mismatch.empty()) return comparison;
    const auto [num_rows, dim] = std::pair(a.info().num_rows, a.info().dim);
    std::vector<float> rows_a;
    std::vector<float> rows_b;
    for (std::uint64_t first = 0; first < num_rows;) {
      const std::uint64_t count = std::min(rows_at_once(dim), num_rows - first);
      rows_a.resize(count * dim);
      rows_b.resize(count * dim);
      EMBD_TRY(a.read(first, count, rows_a));
      EMBD_TRY(b.read(first, count, rows_b));
      for (std::uint64_t i = 0; i < count; ++i) {
        comparison.difference.add_row(first + i, std::span(rows_a).subspan(i * dim, dim),
                                      std::span(rows_b).subspan(i * dim, dim));
      }
      first += count;
    }
    return comparison;
  });
}

void VectorDifference::add_row(std::uint64_t row, std::span<const float> a,
                               std::span<const float> b) {
  bool equal = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = distance(a[i], b[i]);
    equal = equal && d == 0;
    if (d <= largest_) continue;
    largest_ = d;
    largest_row_ = row;
    largest_value_ = i;
  }
  if (equal) ++equal_rows_;
  ++rows_;
}

std::string VectorDifference::text() const {
  std::string text = fmt::format("{}, {} equal, largest difference {:.3g}", counted(rows_, "row"),
                                 equal_rows_, largest_);
  if (largest_ > 0) text += fmt::format(" (row {}, value {})", largest_row_, largest_value_);
  return text;
}

}  // namespace embd
