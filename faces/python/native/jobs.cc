#include <fmt/core.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "base/try.h"
#include "embd/collect.h"
#include "embd/jobs.h"
#include "embd/split.h"
#include "embd/texts.h"
#include "embd/vectors.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/texts.h"
#include "formats/text/open_records.h"
#include "formats/vectors/ids.h"
#include "jobs/embed/embed_plan.h"
#include "jobs/options/job_lists.h"
#include "jobs/rerank/score_plan.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

/// Reads records from a Python iterator of tuples (texts, ids) or (texts, ids, first texts). Texts
/// are given in the forms that Texts takes, ids in the forms that ids_of() takes. A first text
/// becomes the only further field of its record. The next tuple is requested when all records of
/// the last one were read.
///
/// The GIL must be held when the object is made and destroyed. next() is called without it, on any
/// thread.
class BatchRecords final : public RecordReader {
 public:
  /// `name` is the name of the source in messages.
  BatchRecords(nb::object batches, std::string name);

  Result<bool> next(Record& record) override;
  const std::string& name() const noexcept override { return name_; }

  /// Throws the Python exception that made next() fail, if there was one.
  void raise_again() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  bool fetch();

  nb::object batches_;
  std::string name_;
  std::optional<Texts> texts_;
  std::optional<Texts> first_texts_;
  Ids ids_;
  std::size_t place_ = 0;  // in the batch
  std::uint64_t row_ = 0;
  std::exception_ptr raised_;
};

BatchRecords::BatchRecords(nb::object batches, std::string name)
    : batches_(nb::steal(PyObject_GetIter(batches.ptr()))), name_(std::move(name)) {
  if (!batches_.is_valid()) throw nb::python_error();
}

/// Takes the next tuple of the iterator. Returns false at its end. Throws what Python raised. The
/// caller holds the GIL.
bool BatchRecords::fetch() {
  texts_.reset();
  first_texts_.reset();
  place_ = 0;
  const nb::object pair = nb::steal(PyIter_Next(batches_.ptr()));
  if (!pair.is_valid()) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return false;
  }
  texts_.emplace(pair[0]);
  ids_ = ids_of(pair[1]);
  const std::size_t count = texts_->views().size();
  if (const auto num_ids = count_ids(ids_); num_ids && *num_ids != count) {
    raise_invalid(fmt::format("{} ids were given for {} texts, expected one id for each text",
                              *num_ids, count));
  }
  if (nb::len(pair) == 2) return true;
  first_texts_.emplace(pair[2]);
  check_are_pairs(*first_texts_, *texts_);
  return true;
}

Result<bool> BatchRecords::next(Record& record) {
  while (!texts_ || place_ == texts_->views().size()) {
    const nb::gil_scoped_acquire held;
    try {
      if (!fetch()) return false;
    } catch (...) {
      raised_ = std::current_exception();
      return fail(ErrorCode::io_failed, "an exception was raised while the texts were read");
    }
  }
  record.text = texts_->views()[place_];
  record.id = {};
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids_)) {
    record.id = (*numbers)[place_];
  } else if (auto* strings = std::get_if<std::vector<std::string>>(&ids_)) {
    record.id = std::move((*strings)[place_]);
  }
  if (first_texts_) {
    record.fields = '[';
    append_json_string(first_texts_->views()[place_], record.fields);
    record.fields += ']';
  }
  ++place_;
  record.line = ++row_;
  return true;
}

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

std::vector<std::string_view> formats_of(const std::vector<OutputTarget>& outputs,
                                         bool has_terms = false) {
  std::vector<std::string_view> formats;
  for (const OutputTarget& output : outputs) formats.push_back(output.format->name);
  if (has_terms) formats.emplace_back("terms");
  return formats;
}

/// Returns the outputs of a job that scores pairs. Raises ValueError for a keyword argument that no
/// output uses.
std::vector<OutputTarget> outputs_of(const std::vector<std::filesystem::path>& paths,
                                     const ScorePairsOptions& options, const nb::dict& given) {
  auto outputs = value_of(resolve_outputs(paths, options.output));
  check_formats(given, options, formats_of(outputs));
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

/// Returns the outputs of a job that embeds texts, as outputs_of() does.
EmbedOutputs embed_outputs_of(const std::vector<std::filesystem::path>& paths,
                              const EmbedOptions& options, const nb::dict& given) {
  EmbedOutputs outputs = value_of(embed_outputs(paths, options.output));
  check_formats(given, options, formats_of(outputs.sets, !outputs.terms.empty()));
  return outputs;
}

nb::dict embed(const Model& model, const std::vector<std::filesystem::path>& inputs,
               const std::vector<std::filesystem::path>& outputs, const EncodeOptions& encode,
               const nb::dict& given, const nb::object& progress) {
  InputOptions texts;
  EmbedOptions asked = {.encode = encode};
  set_options(given, texts, asked);
  const TextWarnings warnings(texts);
  auto [sets, terms] = embed_outputs_of(outputs, asked, given);
  EmbedPlan plan = value_of(plan_embedding(
      {value_of(input_files(inputs)), std::move(sets), std::move(terms), texts, asked}));
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
  auto [sets, terms] = embed_outputs_of(outputs, asked, given);
  EmbedPlan plan =
      value_of(plan_embedding({{records.name()}, std::move(sets), std::move(terms), {}, asked}));
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

namespace {

nb::dict report_of(const CollectReport& report) {
  nb::dict dict;
  dict["files"] = report.files;
  dict["new"] = report.new_files;
  dict["changed"] = report.changed_files;
  dict["gone"] = report.gone_files;
  dict["passages"] = report.passages;
  dict["embedded"] = report.embedded;
  dict["reused"] = report.reused;
  dict["seconds"] = report.seconds;
  dict["is_refused"] = report.is_refused;
  return dict;
}

/// Returns the report and a list of messages on documents that were left out. Calls `progress`,
/// which may be None, with the number of passages that were embedded.
nb::tuple collect_documents(const Model& model, const std::vector<std::filesystem::path>& roots,
                            const std::filesystem::path& folder,
                            const std::filesystem::path& model_path, const nb::dict& given,
                            const nb::object& progress) {
  CollectOptions options = {.model_path = model_path};
  set_options(given, options);
  std::atomic<std::uint64_t> rows = 0;
  std::vector<std::string> skipped;
  options.progress = [&](const EmbedProgress& now) { rows = now.rows; };
  options.on_skip = [&](const Error& error) { skipped.push_back(error.message()); };
  std::function<void()> tick;
  if (!progress.is_none()) tick = [&] { progress(rows.load()); };
  const CollectReport report = run_long(
      [&](std::stop_token stop) { return collect(model, roots, folder, options, std::move(stop)); },
      tick);
  return nb::make_tuple(report_of(report), skipped);
}

}  // namespace

void bind_collect(nb::module_& module) {
  module.def("collect", &collect_documents, "model"_a, "roots"_a, "folder"_a, "model_path"_a,
             "options"_a, "progress"_a.none(), "Makes or updates a collection of documents.");
}

namespace {

std::vector<std::string> split_document(const Model& model, const std::filesystem::path& path,
                                        const std::optional<nb::bytes>& given_text,
                                        const nb::dict& given) {
  SplitOptions options;
  set_options(given, options);
  std::optional<std::string> text;
  if (given_text) text.emplace(given_text->c_str(), given_text->size());
  std::vector<std::string> lines;
  run_long([&](const std::stop_token& stop) -> Result<void> {
    const std::string read = text ? "" : EMBD_TRY(read_document(path));
    return split({path, text ? *text : read}, model, options,
                 [&](const Passage& passage) -> Result<void> {
                   if (stop.stop_requested()) return fail_stopped();
                   lines.push_back(passage_to_json(passage, path));
                   return {};
                 });
  });
  return lines;
}

}  // namespace

void bind_split(nb::module_& module) {
  module.def("split", &split_document, "model"_a, "path"_a, "text"_a.none(), "options"_a,
             "Returns the passages of a document, each as JSON.");
}

}  // namespace embd::python
