#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

#include "base/elements.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/difference.h"
#include "cli/input_options.h"
#include "cli/interrupt.h"
#include "cli/model_options.h"
#include "cli/standard_output.h"
#include "embd/vectors.h"

namespace embd::cli {
namespace {

struct VerifyOptions {
  std::string vectors;
  TextInput texts;
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

/// The texts of the chosen rows; counts all rows of the input in `num_texts`.
class ChosenTexts final : public TextSource {
 public:
  ChosenTexts(RecordReader& reader, const std::vector<std::uint64_t>& rows)
      : reader_(reader), rows_(rows) {}

  Result<bool> next(std::string& text) override {
    while (EMBD_TRY(reader_.next(record_))) {
      const std::uint64_t row = num_texts_++;
      if (chosen_ == rows_.size() || rows_[chosen_] != row) continue;
      ++chosen_;
      std::swap(text, record_.text);
      return true;
    }
    return false;
  }
  std::uint64_t num_texts() const noexcept { return num_texts_; }

 private:
  RecordReader& reader_;
  const std::vector<std::uint64_t>& rows_;
  Record record_;
  std::uint64_t num_texts_ = 0;
  std::size_t chosen_ = 0;
};

/// Compares each row of the model with the stored one, in the stored type.
class ComparingSink final : public RowSink {
 public:
  ComparingSink(const VectorReader& vectors, const std::vector<std::uint64_t>& rows)
      : vectors_(vectors), rows_(rows), type_(stored_type(vectors.info())) {}

  Result<void> write(MatrixView rows, std::span<const RowReport>) override {
    std::vector<float> stored(rows.cols());
    std::vector<float> made(rows.cols());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      EMBD_TRY(vectors_.read(rows_[difference_.rows()], 1, stored));
      elements_.clear();
      EMBD_TRY(elements_from_floats(type_, rows.row(i), elements_));
      floats_from_elements(type_, elements_, made);
      difference_.add_row(made, stored);
    }
    return {};
  }
  const Difference& difference() const noexcept { return difference_; }

 private:
  /// Codes that are no plain floats are compared as they decode: tolerance is for them.
  static ElementType stored_type(const VectorSetInfo& info) {
    const bool half = info.encoding == "f16" || info.encoding == "fp16";
    if (half) return ElementType::f16;
    return info.encoding == "bf16" ? ElementType::bf16 : ElementType::f32;
  }

  const VectorReader& vectors_;
  const std::vector<std::uint64_t>& rows_;
  ElementType type_;
  std::vector<std::byte> elements_;
  Difference difference_;
};

/// The options that `recipe` records, the speed's apart.
EncodeOptions options_of(const Recipe& recipe, const EncodeOptions& given, std::uint32_t dim) {
  EncodeOptions encode = given;
  encode.max_length = recipe.max_length;
  encode.pooling = recipe.pooling;
  encode.normalize = recipe.normalize;
  encode.truncate_dim = recipe.truncate_dim == dim ? 0 : recipe.truncate_dim;
  encode.prompt = recipe.prompt;
  return encode;
}

/// Fails unless the vectors were made by this model. Its other options are taken from the recipe.
Result<void> check_model(const Recipe& theirs, const Model& model, const VerifyOptions& options) {
  Recipe ours = theirs;
  const Recipe own = EMBD_TRY(model.recipe());
  ours.model_sha256 = own.model_sha256;
  ours.tokenizer_sha256 = own.tokenizer_sha256;
  const auto differences = fatal_differences(theirs, ours);
  if (differences.empty() || options.force) return {};
  return std::unexpected(Error(ErrorCode::recipe_mismatch,
                               fmt::format("differs from this model in {}; --force compares anyway",
                                           fmt::join(differences, ", ")))
                             .in_file(options.vectors));
}

Result<ExitCode> verify(const VerifyOptions& options) {
  const Interrupt interrupt;
  const auto vectors = EMBD_TRY(open_vectors(options.vectors));
  const Model model = EMBD_TRY(open_model(options.model));
  EncodeOptions encode = options.model.encode;
  const std::optional<Recipe> recipe = EMBD_TRY(vectors->recipe());
  if (recipe) {
    EMBD_TRY(check_model(*recipe, model, options));
    encode = options_of(*recipe, encode, model.dim());
  }
  const std::uint64_t dim = encode.truncate_dim != 0 ? encode.truncate_dim : model.dim();
  const VectorSetInfo& info = vectors->info();
  if (info.dim != dim) {
    return std::unexpected(
        Error(ErrorCode::bad_count,
              fmt::format("rows of {} values, the model makes {}", info.dim, dim))
            .in_file(options.vectors));
  }
  const auto reader = EMBD_TRY(open_records(options.texts));
  const std::vector<std::uint64_t> rows = rows_to_check(info.num_rows, options);
  ChosenTexts texts(*reader, rows);
  ComparingSink sink(*vectors, rows);
  EMBD_TRY(model.encode(texts, sink, encode, interrupt.token()));

  if (texts.num_texts() != info.num_rows) {
    EMBD_TRY(print_to_standard_output(
        fmt::format("{} rows and {} texts\n", info.num_rows, texts.num_texts())));
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
  add_model_options(verb, options->model);
  add_token_options(verb, options->model);
  add_encode_options(verb, options->model);
  verb.add_option("--sample", options->sample, "Check N rows only (all)")->type_name("N");
  verb.add_option("--seed", options->seed, "Which ones (0)")->type_name("S");
  verb.add_option("--tolerance", options->tolerance, "Largest difference allowed (0)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("X");
  verb.add_flag("--force", options->force, "Even if the recipe is another model's");
}

}  // namespace embd::cli
