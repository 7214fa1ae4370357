#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.h"
#include "base/messages.h"
#include "base/os/signals.h"
#include "base/try.h"
#include "embd/neighbours.h"
#include "embd/verify.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
#include "faces/cli/options/vector_options.h"
#include "faces/cli/printing.h"
#include "jobs/options/job_lists.h"
#include "jobs/outputs/streams.h"

namespace embd::cli {
namespace {

struct CompareRequest {
  std::string a;
  std::string b;
  ReadOptions read;  // for reading both files
  double tolerance = 0;
  AgreementOptions agreement = {.k = 0};  // 0: compare ids and values
  std::size_t num_moved = 10;
  bool json = false;
  const Verb* verb = nullptr;
};

/// Returns a number as JSON; "null" for NaN, which JSON cannot express.
std::string as_json(float value) {
  std::string json;
  append_json_float(value, json);
  return json;
}

std::string agreement_as_json(const NeighbourAgreement& found, std::size_t num_moved) {
  std::string json = fmt::format(
      "{{\"neighbours\":{},\"rows\":{},\"overlap\":{:.6f},\"rank_correlation\":{:.6f},\"moved\":[",
      found.k, found.rows.size(), found.overlap, found.rank_correlation);
  for (std::size_t i = 0; i < std::min(num_moved, found.rows.size()); ++i) {
    const RowAgreement& row = found.rows[i];
    json +=
        fmt::format("{}{{\"row\":{},\"overlap\":{},\"rank_correlation\":{}}}", i == 0 ? "" : ",",
                    row.row, as_json(row.overlap), as_json(row.rank_correlation));
  }
  return json + "]}\n";
}

std::string agreement_as_text(const NeighbourAgreement& found, std::size_t num_moved) {
  std::string text = fmt::format(
      "{}, {} nearest of each: overlap {:.4f}, rank correlation {:.4f}\n"
      "{:>10}  {:>8}  {:>16}\n",
      counted(found.rows.size(), "row"), found.k, found.overlap, found.rank_correlation, "row",
      "overlap", "rank correlation");
  for (std::size_t i = 0; i < std::min(num_moved, found.rows.size()); ++i) {
    const RowAgreement& row = found.rows[i];
    text +=
        fmt::format("{:>10}  {:>8.4f}  {:>16.4f}\n", row.row, row.overlap, row.rank_correlation);
  }
  return text;
}

/// Reports how much both sets agree about which rows are near each other.
Result<ExitCode> compare_neighbours(const CompareRequest& options) {
  const os::Interrupt interrupt;
  const NeighbourAgreement found = EMBD_TRY(compare_neighbours_of(
      options.a, options.b, options.read, options.agreement, interrupt.token()));
  const bool is_text = !options.json && is_terminal("-");
  EMBD_TRY(print_to_standard_output(is_text ? agreement_as_text(found, options.num_moved)
                                            : agreement_as_json(found, options.num_moved)));
  return ExitCode::good;
}

Result<ExitCode> compare(const CompareRequest& options) {
  EMBD_TRY(check_needs(*options.verb));
  EMBD_TRY(check_input_scopes(*options.verb, {options.a, options.b}, options.read));
  if (options.agreement.k > 0) return compare_neighbours(options);
  const auto a = EMBD_TRY(open_vectors(options.a, options.read));
  const auto b = EMBD_TRY(open_vectors(options.b, options.read));
  const Comparison result = EMBD_TRY(compare_vectors(*a, *b));
  const std::string words = result.mismatch.empty() ? "ids equal, " + result.difference.text()
                                                    : printable(result.mismatch);
  EMBD_TRY(print_to_standard_output(words + "\n"));
  return result.is_equal(options.tolerance) ? ExitCode::good : ExitCode::difference;
}

}  // namespace

void add_compare(Verb& program) {
  auto [verb, options] =
      program.add_verb("compare",
                       "Compares the ids and values of two vector sets of any formats, or "
                       "their neighbours; exit 5 if they differ",
                       compare);
  verb.add_option("A", options.a, "A vector set").required();
  verb.add_option("B", options.b, "Another").required();
  add_read_options(verb, options.read);
  add_tolerance(verb, options.tolerance, "Largest difference of values allowed (0)")
      .in(OptionGroup::running);
  add_all_listed(verb, options.agreement, {"threads"});
  add_number(verb, "--moved", options.num_moved, "Rows that moved most to name (10)")
      .in(OptionGroup::search)
      .useless_without = "--neighbours";
  Option& json = verb.add_flag("--json", options.json,
                               "As one JSON object, as where the output is no terminal");
  json.in(OptionGroup::output).useless_without = "--neighbours";
  add_threads(verb, options.agreement.threads);
}

}  // namespace embd::cli
