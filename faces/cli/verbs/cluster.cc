#include "embd/cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/messages.h"
#include "base/os/signals.h"
#include "base/try.h"
#include "base/utf8.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/analysis_options.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/printing.h"
#include "jobs/options/job_lists.h"
#include "jobs/outputs/streams.h"

namespace embd::cli {
namespace {

struct ClusterRequest {
  AnalysisRequest request;
  std::vector<std::filesystem::path> outputs;
  ClusterFileOptions cluster;
  bool density = false;
  bool is_table = false;  // print a table of groups instead of the rows
  const Verb* verb = nullptr;
};

constexpr std::size_t widest_text = 60;  // the most characters of a text in the table

std::string table_of(const ClusterReport& report) {
  std::string table = fmt::format("{:>5}  {:>8}  {:>8}  name\n", "group", "rows", "distance");
  for (std::size_t g = 0; g < report.groups.size(); ++g) {
    const ClusterSummary& group = report.groups[g];
    table += fmt::format("{:>5}  {:>8}  {:>8.4f}  {}\n", g, group.size, group.mean_distance,
                         printable(fmt::format("{}", fmt::join(group.words, ", "))));
    const auto& central = group.central_texts.empty() ? group.central_ids : group.central_texts;
    for (const std::string& each : central)
      table += fmt::format("{:27}{}\n", "", shortened(printable(each), widest_text));
  }
  if (report.rows_in_none > 0) table += fmt::format("{:>5}  {:>8}\n", "none", report.rows_in_none);
  return table;
}

/// Checks that no option for the other method of grouping was given, because it would do nothing.
Result<void> check_method(const ClusterRequest& options) {
  for (const char* name : {"--k", "--seed"}) {
    if (!options.density || !options.verb->is_given(name)) continue;
    return fail(ErrorCode::invalid_argument,
                "{} applies to grouping by k-means only; with --density, the number of groups "
                "follows from the vectors",
                name);
  }
  for (const char* name : {"--min-size", "--min-samples", "--exact-rows"}) {
    if (options.density || !options.verb->is_given(name)) continue;
    return fail(ErrorCode::invalid_argument,
                "{} has no effect without --density: give both or neither", name);
  }
  return {};
}

Result<ExitCode> cluster(ClusterRequest& options) {
  const os::Interrupt interrupt;
  const AnalysisRequest& request = options.request;
  EMBD_TRY(check_method(options));
  set_input(request, options.cluster);
  options.cluster.cluster.threads = request.model.encode.threads;
  if (options.density) options.cluster.cluster.method = ClusterMethod::density;
  const bool is_table = options.outputs.empty() && is_terminal("-");
  if (options.outputs.empty() && !is_table) options.outputs.emplace_back("-");
  EMBD_TRY(with_model(*options.verb, request, [&](const Model* model) -> Result<void> {
    const ClusterReport report =
        EMBD_TRY(cluster_file(model, paths_or_standard_input(request.paths), options.outputs,
                              options.cluster, interrupt.token()));
    const std::string summary = table_of(report);
    if (is_table || options.is_table) return print_to_standard_output(summary);
    say("embd: {} in {}, {} in none; mean distance {:.4f}\n",
        counted(report.rows - report.rows_in_none, "row"), counted(report.groups.size(), "group"),
        report.rows_in_none,
        report.rows > report.rows_in_none
            ? report.inertia / static_cast<double>(report.rows - report.rows_in_none)
            : 0);
    return {};
  }));
  return ExitCode::good;
}

Result<void> parse_k(const std::string& text, ClusterOptions& options) {
  options.k = 0;
  if (text == "auto") return {};
  const auto k = parse_number(text, 1, 0xffffffff);
  if (!k) return unexpected_value(text, "auto, or a whole number from 1");
  options.k = static_cast<std::uint32_t>(*k);
  return {};
}

void add_cluster_options(Verb& verb, ClusterRequest& options) {
  ClusterOptions& cluster = options.cluster.cluster;
  verb.add_option(
          "-o,--output", options.outputs,
          "A line for each row with its id, group, distance to the group's center, place in "
          "the group, name and text: Parquet if OUT ends in .parquet, CSV if it ends in "
          ".csv, else JSON Lines; repeatable (standard output; on a terminal a table of the "
          "groups)")
      .repeatable()
      .type_name("OUT")
      .in(OptionGroup::output);
  verb.add_flag("--table", options.is_table, "Print a table of the groups besides writing --output")
      .in(OptionGroup::output);
  constexpr auto k = option_of<&ClusterOptions::k>();
  verb.add_parsed(
          "-k,--k", [&cluster](const std::string& text) { return parse_k(text, cluster); },
          std::string(k.help))
      .type_name("N|auto")
      .in(OptionGroup::analysis);
  verb.add_flag("--density", options.density,
                std::string(option_of<&ClusterOptions::method>().help))
      .in(OptionGroup::analysis);
  add_all_listed(verb, cluster, {"threads", "k", "method"});
  add_listed<&ClusterFileOptions::num_words>(verb, options.cluster.num_words);
}

}  // namespace

void add_cluster(Verb& program) {
  auto [verb, options] = program.add_verb(
      "cluster", "Divides texts or vectors into groups, named by their words", cluster);
  add_analysis_options(verb, options.request);
  add_cluster_options(verb, options);
}

}  // namespace embd::cli
