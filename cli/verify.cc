#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <random>

#include "base/elements.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/input_options.h"
#include "cli/interrupt.h"
#include "cli/model_options.h"
#include "cli/read_options.h"
#include "cli/standard_output.h"
#include "embd/vectors.h"
#include "formats/usearch/usearch_scalar.h"
#include "jobs/difference.h"
#include "jobs/recipe_options.h"
#include "vectors/narrow_rows.h"
#include "vectors/sidecar.h"

namespace embd::cli {
namespace {

struct VerifyOptions {
  std::string vectors;
  TextInput texts;
  ReadOptions read;
  ModelOptions model;
  std::uint64_t sample = 0;
  std::uint64_t seed = 0;
  double tolerance = 0;
  bool force = false;
};

/// The rows to check, rising: all, or `sample` of them drawn by `seed`.
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

/// The texts of the chosen rows, or all, and how many there are in all.
class ChosenTexts final : public TextSource {
 public:
  /// `rows`: null for all texts.
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
  std::uint64_t num_texts() const noexcept { return num_texts_; }

 private:
  RecordReader& reader_;
  const std::vector<std::uint64_t>* rows_;
  Record record_;
  std::uint64_t num_texts_ = 0;
  std::size_t chosen_ = 0;
};

/// What rows [n, dim] of the model become before they are stored; none for as they are.
using Codes = std::function<Matrix(MatrixView)>;

/// Compares each chosen row of the model with the stored one, in the stored type.
class ComparingSink final : public RowSink {
 public:
  /// `all_come`: write() gets every row, not only the chosen ones.
  ComparingSink(const VectorReader& vectors, const std::vector<std::uint64_t>& rows, Codes codes,
                bool all_come)
      : vectors_(vectors),
        rows_(rows),
        codes_(std::move(codes)),
        all_come_(all_come),
        type_(stored_type(vectors.info())) {}

  Result<void> write(MatrixView model_rows, std::span<const RowReport>) override {
    const Matrix coded = codes_ ? codes_(model_rows) : Matrix();
    const MatrixView rows = codes_ ? coded.view() : model_rows;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::uint64_t come = num_come_++;
      if (chosen_ == rows_.size() || (all_come_ && rows_[chosen_] != come)) continue;
      EMBD_TRY(compare(rows_[chosen_++], rows.row(i)));
    }
    return {};
  }
  std::uint64_t num_come() const noexcept { return num_come_; }
  const Difference& difference() const noexcept { return difference_; }

 private:
  /// What is no plain float (codes over many rows, integers) is compared as it decodes: tolerance
  /// is for such.
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
  Codes codes_;
  bool all_come_;
  ElementType type_;
  std::uint64_t num_come_ = 0;
  std::size_t chosen_ = 0;
  std::vector<std::byte> elements_;
  std::vector<float> stored_;
  std::vector<float> made_;
  Difference difference_;
};

/// Rows as a USearch file of a scalar type gives them back.
Matrix through_usearch(MatrixView rows, ElementType scalar) {
  Matrix back(rows.rows(), rows.cols());
  std::vector<std::byte> stored(usearch::row_bytes(scalar, rows.cols()));
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    usearch::encode_row(scalar, rows.row(r), stored.data());
    usearch::decode_row(scalar, stored.data(), back.row(r));
  }
  return back;
}

/// The codes that the file holds, if it holds such: those of `embed --output-type`, or USearch's.
Result<Codes> codes_of(const std::optional<Recipe>& recipe, const VectorSetInfo& info,
                       const std::string& path, std::uint64_t dim) {
  if (info.format == "usearch") {
    return Codes(
        [scalar = info.element_type](MatrixView rows) { return through_usearch(rows, scalar); });
  }
  if (!recipe) return Codes();
  if (recipe->output_type == "binary") return Codes(binary_codes);
  if (recipe->output_type != "int8") return Codes();
  const Int8Ranges ranges = EMBD_TRY(read_ranges(ranges_path(path), dim));
  return Codes([ranges](MatrixView rows) { return int8_codes(rows, ranges); });
}

Result<ExitCode> verify(VerifyOptions& options) {
  const Interrupt interrupt;
  const auto vectors = EMBD_TRY(open_vectors(options.vectors, options.read));
  const std::optional<Recipe> recipe = EMBD_TRY(vectors->recipe());
  if (recipe && options.model.compute.empty()) options.model.compute = recipe->compute;
  const Model model = EMBD_TRY(open_model(options.model));
  EncodeOptions encode = options.model.encode;
  if (recipe) {
    encode = options_of(*recipe, encode, model);
    EMBD_TRY(check_recipe(*recipe, model, encode, options.vectors, options.force));
  }
  const std::uint64_t dim = encode.truncate_dim != 0 ? encode.truncate_dim : model.dim();
  const VectorSetInfo& info = vectors->info();
  const Codes codes = EMBD_TRY(codes_of(recipe, info, options.vectors, dim));
  const bool packed = info.format != "usearch" && recipe && recipe->output_type == "binary";
  const std::uint64_t stored_dim = packed ? binary_dim(dim) : dim;
  if (info.num_rows > 0 && info.dim != stored_dim) {
    return std::unexpected(
        Error(ErrorCode::bad_count,
              fmt::format("rows of {} values, the model makes {}", info.dim, stored_dim))
            .in_file(options.vectors));
  }
  const auto reader = EMBD_TRY(open_records(options.texts));
  const std::vector<std::uint64_t> rows = rows_to_check(info.num_rows, options);
  // How many windows the texts before a row have is known when they are tokenized.
  const bool all_come = encode.windows == Windows::rows;
  ChosenTexts texts(*reader, all_come ? nullptr : &rows);
  ComparingSink sink(*vectors, rows, codes, all_come);
  EMBD_TRY(model.encode(texts, sink, encode, interrupt.token()));

  const std::uint64_t num_expected = all_come ? sink.num_come() : texts.num_texts();
  if (num_expected != info.num_rows) {
    EMBD_TRY(
        print_to_standard_output(fmt::format("{} rows, but {} {}\n", info.num_rows, num_expected,
                                             all_come ? "windows of the texts" : "texts")));
    return ExitCode::difference;
  }
  const std::string note = recipe ? "" : "no recipe, ";
  EMBD_TRY(print_to_standard_output(note + sink.difference().text() + "\n"));
  return sink.difference().largest() > options.tolerance ? ExitCode::difference : ExitCode::good;
}

}  // namespace

void add_verify(Commands& commands) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App& verb = commands.add(commands.app(), "verify",
                                "Embeds the texts again and compares; exit 5 if they differ",
                                [options] { return verify(*options); });
  verb.add_option("VECTORS", options->vectors, "A vector set")->required()->type_name("");
  add_text_input(verb, options->texts, "TEXTS")->required();
  add_read_options(verb, options->read);
  add_model_options(verb, options->model);
  add_token_options(verb, options->model);
  add_window_options(verb, options->model);
  add_encode_options(verb, options->model);
  verb.add_option("--sample", options->sample, "Check N rows only (all)")->type_name("N");
  verb.add_option("--seed", options->seed, "Which ones (0)")->type_name("S");
  verb.add_option("--tolerance", options->tolerance, "Largest difference allowed (0)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("X");
  verb.add_flag("--force", options->force,
                "Even if the recipe is of another model or other options");
}

}  // namespace embd::cli
