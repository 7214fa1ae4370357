#include "embd/jobs.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>

#include "base/try.h"
#include "formats/text/open_records.h"
#include "jobs/embed/embed_plan.h"
#include "jobs/options/embed_list.h"
#include "jobs/options/input_list.h"
#include "jobs/options/job_lists.h"
#include "jobs/options/pairs_list.h"
#include "jobs/rerank/score_plan.h"
#include "native/batch_records.h"
#include "native/bindings.h"
#include "native/error.h"
#include "native/keywords.h"
#include "native/long_call.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

nb::dict report_of(const EmbedReport& report) {
  nb::dict dict;
  dict["rows"] = report.rows;
  dict["resumed_rows"] = report.resumed_rows;
  dict["tokens"] = report.tokens;
  dict["truncated_rows"] = report.truncated_rows;
  dict["empty_rows"] = report.empty_rows;
  dict["repeated_rows"] = report.repeated_rows;
  dict["renamed_rows"] = report.renamed_rows;
  dict["seconds"] = report.seconds;
  dict["digest"] = report.digest ? nb::cast(report.digest->to_json()) : nb::none();
  nb::list losses;
  for (const auto& [path, loss] : report.losses)
    losses.append(nb::make_tuple(path, loss.cosine, loss.euclidean));
  dict["losses"] = losses;
  return dict;
}

/// Keeps the warnings of reading texts, which another thread does, for Python.
class TextWarnings {
 public:
  explicit TextWarnings(InputOptions& options) {
    options.on_warning = [this](std::string_view warning) { warnings_.emplace_back(warning); };
  }
  TextWarnings(const TextWarnings&) = delete;
  TextWarnings& operator=(const TextWarnings&) = delete;

  /// Issues the warnings with the module `warnings`. Call it after the job.
  void issue() const {
    for (const std::string& warning : warnings_)
      if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 2) != 0) throw nb::python_error();
  }

 private:
  std::vector<std::string> warnings_;
};

/// Returns the outputs of a job. Raises ValueError for a keyword argument that no output uses.
template <class Options>
std::vector<OutputTarget> outputs_of(const std::vector<std::filesystem::path>& paths,
                                     const Options& options, const nb::dict& given) {
  auto outputs = value_of(resolve_outputs(paths, options.output));
  std::vector<std::string_view> formats;
  for (const OutputTarget& output : outputs) formats.push_back(output.format->name);
  check_formats(given, options, formats);
  return outputs;
}

/// Runs job(options, stop). Calls `progress`, which may be None, with the number of finished rows.
template <class Options, class Job>
nb::dict run_job(Options options, const nb::object& progress, Job&& job) {
  std::atomic<std::uint64_t> rows = 0;
  options.progress = [&](const EmbedProgress& now) { rows = now.rows; };
  std::function<void()> tick;
  if (!progress.is_none()) tick = [&] { progress(rows.load()); };
  const EmbedReport report =
      run_long([&](std::stop_token stop) { return job(options, std::move(stop)); }, tick);
  if (!progress.is_none()) progress(report.rows);
  return report_of(report);
}

nb::dict embed(const Model& model, const std::vector<std::filesystem::path>& inputs,
               const std::vector<std::filesystem::path>& outputs, const EncodeOptions& encode,
               const nb::dict& given, const nb::object& progress) {
  InputOptions texts;
  EmbedOptions asked = {.encode = encode};
  set_options(given, texts, asked);
  const TextWarnings warnings(texts);
  EmbedPlan plan = value_of(plan_embedding(
      {value_of(input_files(inputs)), outputs_of(outputs, asked, given), texts, asked}));
  nb::dict report =
      run_job(asked, progress, [&](const EmbedOptions& options, std::stop_token stop) {
        plan.options = options;
        return embed_file(model, plan, std::move(stop));
      });
  warnings.issue();
  return report;
}

nb::dict embed_batches(const Model& model, BatchRecords& records,
                       const std::vector<std::filesystem::path>& outputs,
                       const EncodeOptions& encode, const nb::dict& given,
                       const nb::object& progress) {
  EmbedOptions asked = {.encode = encode};
  set_options(given, asked);
  EmbedPlan plan =
      value_of(plan_embedding({{records.name()}, outputs_of(outputs, asked, given), {}, asked}));
  try {
    return run_job(asked, progress, [&](const EmbedOptions& options, std::stop_token stop) {
      plan.options = options;
      return embed_records(model, records, plan, std::move(stop));
    });
  } catch (...) {
    records.raise_again();
    throw;
  }
}

nb::dict score_file(const Reranker& reranker, const std::filesystem::path& input,
                    const std::vector<std::filesystem::path>& outputs, const ScoreOptions& score,
                    const nb::dict& given, const nb::object& progress) {
  InputOptions texts;
  ScorePairsOptions asked = {.score = score};
  set_options(given, texts, asked);
  const TextWarnings warnings(texts);
  ScorePlan plan = value_of(plan_scoring(input, outputs_of(outputs, asked, given), texts, asked));
  nb::dict report =
      run_job(asked, progress, [&](const ScorePairsOptions& options, std::stop_token stop) {
        plan.job.options.progress = options.progress;
        return score_pairs_file(reranker, plan, std::move(stop));
      });
  warnings.issue();
  return report;
}

nb::dict score_batches(const Reranker& reranker, BatchRecords& records,
                       const std::vector<std::filesystem::path>& outputs, const ScoreOptions& score,
                       const nb::dict& given, const nb::object& progress) {
  ScorePairsOptions asked = {.score = score};
  set_options(given, asked);
  ScorePlan plan =
      value_of(plan_scoring(records.name(), outputs_of(outputs, asked, given), {}, asked));
  try {
    return run_job(asked, progress, [&](const ScorePairsOptions& options, std::stop_token stop) {
      plan.job.options.progress = options.progress;
      return score_records(reranker, records, plan, std::move(stop));
    });
  } catch (...) {
    records.raise_again();
    throw;
  }
}

nb::dict verify(const Model& model, const std::filesystem::path& vectors,
                const std::vector<std::filesystem::path>& texts, const EncodeOptions& encode,
                const nb::dict& given) {
  VerifyOptions options = {.encode = encode};
  set_options(given, options);
  const TextWarnings warnings(options.input);
  const Verification found = run_long([&](std::stop_token stop) -> Result<Verification> {
    const auto records = EMBD_TRY(open_records(texts, options.input, stop));
    return verify_records(model, vectors, *records, options, std::move(stop));
  });
  warnings.issue();
  nb::dict dict;
  dict["has_recipe"] = found.has_recipe;
  dict["rows"] = found.num_rows;
  dict["expected_rows"] = found.num_expected;
  dict["checked_rows"] = found.difference.rows();
  dict["equal_rows"] = found.difference.equal_rows();
  dict["largest_difference"] = found.difference.largest();
  return dict;
}

}  // namespace

void bind_jobs(nb::module_& module) {
  nb::class_<BatchRecords>(module, "BatchRecords")
      .def(nb::init<nb::object, std::string>(), "batches"_a, "name"_a);
  module.def("embed_files", &embed, "model"_a, "inputs"_a, "outputs"_a, "encode"_a, "options"_a,
             "progress"_a.none());
  module.def("embed_batches", &embed_batches, "model"_a, "records"_a, "outputs"_a, "encode"_a,
             "options"_a, "progress"_a.none());
  module.def("score_file", &score_file, "reranker"_a, "input"_a, "outputs"_a, "score"_a,
             "options"_a, "progress"_a.none());
  module.def("score_batches", &score_batches, "reranker"_a, "records"_a, "outputs"_a, "score"_a,
             "options"_a, "progress"_a.none());
  module.def("verify", &verify, "model"_a, "vectors"_a, "texts"_a, "encode"_a, "options"_a);
}

}  // namespace embd::python
