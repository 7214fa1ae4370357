#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/try.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/printing.h"

namespace embd::cli {
namespace {

struct SimilarityOptions {
  std::vector<std::string> texts;
  ModelOptions model;
  bool json = false;
};

double cosine(std::span<const float> a, std::span<const float> b) {
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += static_cast<double>(a[i]) * b[i];
    aa += static_cast<double>(a[i]) * a[i];
    bb += static_cast<double>(b[i]) * b[i];
  }
  return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa * bb);
}

std::string as_json(const std::vector<std::string>& texts, const Matrix& rows) {
  nlohmann::ordered_json matrix = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (std::size_t j = 0; j < rows.rows(); ++j) row.push_back(cosine(rows.row(i), rows.row(j)));
    matrix.push_back(std::move(row));
  }
  const nlohmann::ordered_json json = {{"texts", texts}, {"similarity", std::move(matrix)}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string as_table(const std::vector<std::string>& texts, const Matrix& rows) {
  std::string table = "   ";
  for (std::size_t j = 0; j < texts.size(); ++j) table += fmt::format("{:>9}", j + 1);
  table += '\n';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    table += fmt::format("{:>3}", i + 1);
    for (std::size_t j = 0; j < texts.size(); ++j)
      table += fmt::format("{:>9.4f}", cosine(rows.row(i), rows.row(j)));
    table += fmt::format("  {}\n", printable(texts[i]));
  }
  return table;
}

Result<ExitCode> similarity(const SimilarityOptions& options) {
  const Model model = EMBD_TRY(open_model(options.model));
  const std::vector<std::string_view> texts(options.texts.begin(), options.texts.end());
  const Matrix rows = EMBD_TRY(model.encode(texts, options.model.encode));
  EMBD_TRY(print_to_standard_output(options.json ? as_json(options.texts, rows)
                                                 : as_table(options.texts, rows)));
  return ExitCode::good;
}

}  // namespace

void add_similarity(Verb& program) {
  auto [verb, options] = program.add_verb(
      "similarity", "Prints a table of the cosine similarities of all pairs of texts", similarity);
  verb.add_option("TEXT", options.texts, "Two texts or more").required();
  add_model_options(verb, options.model);
  add_token_options(verb, options.model);
  add_encode_options(verb, options.model);
  verb.add_flag("--json", options.json, "As one JSON object").in(OptionGroup::output);
}

}  // namespace embd::cli
