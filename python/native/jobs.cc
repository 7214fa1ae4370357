#include "embd/jobs.h"

#include <fmt/core.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>

#include "jobs/embed/embed_plan.h"
#include "native/batch_records.h"
#include "native/bindings.h"
#include "native/error.h"
#include "native/input_options.h"
#include "native/long_call.h"
#include "native/write_options.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

OutputType output_type_from_name(const std::string& name) {
  if (name.empty()) return OutputType::automatic;
  if (name == "f32") return OutputType::f32;
  if (name == "f16") return OutputType::f16;
  if (name == "int8") return OutputType::int8;
  if (name == "binary") return OutputType::binary;
  raise_invalid(fmt::format("output type \"{}\", expected f32, f16, int8 or binary", name));
}

nb::dict report_of(const EmbedReport& report) {
  nb::dict dict;
  dict["rows"] = report.rows;
  dict["resumed_rows"] = report.resumed_rows;
  dict["tokens"] = report.tokens;
  dict["truncated_rows"] = report.truncated_rows;
  dict["empty_rows"] = report.empty_rows;
  dict["renamed_rows"] = report.renamed_rows;
  dict["seconds"] = report.seconds;
  return dict;
}

EmbedOptions embed_options(const EncodeOptions& encode, const std::string& output_type,
                           std::optional<std::uint64_t> id_start, bool resume, bool restart,
                           bool refuse_truncated, const nb::dict& write) {
  EmbedOptions options = {.encode = encode,
                          .id_start = id_start,
                          .refuse_truncated = refuse_truncated,
                          .resume = resume,
                          .restart = restart};
  options.output.type = output_type_from_name(output_type);
  options.output.write = write_options(write);
  options.output.format = std::exchange(options.output.write.format, {});
  return options;
}

/// job(options, stop), with what is finished handed to `progress`, which may be None.
template <class Job>
nb::dict run_embed(EmbedOptions options, const nb::object& progress, Job&& job) {
  std::atomic<std::uint64_t> rows = 0;
  options.progress = [&](const EmbedProgress& now) { rows = now.rows; };
  std::function<void()> tick;
  if (!progress.is_none()) tick = [&] { progress(rows.load()); };
  const EmbedReport report =
      run_long([&](std::stop_token stop) { return job(options, std::move(stop)); }, tick);
  if (!progress.is_none()) progress(report.rows);
  return report_of(report);
}

nb::dict embed(const Model& model, const std::filesystem::path& input,
               const std::vector<std::filesystem::path>& outputs, const EncodeOptions& encode,
               const nb::dict& input_options_given, const std::string& output_type,
               std::optional<std::uint64_t> id_start, bool resume, bool restart,
               bool refuse_truncated, const nb::dict& write, const nb::object& progress) {
  const InputOptions texts = input_options(input_options_given);
  return run_embed(
      embed_options(encode, output_type, id_start, resume, restart, refuse_truncated, write),
      progress, [&](const EmbedOptions& options, std::stop_token stop) {
        return embed_file(model, input, outputs, texts, options, std::move(stop));
      });
}

nb::dict embed_batches(const Model& model, nb::object batches, std::string name,
                       const std::vector<std::filesystem::path>& outputs,
                       const EncodeOptions& encode, const std::string& output_type,
                       std::optional<std::uint64_t> id_start, bool resume, bool restart,
                       bool refuse_truncated, const nb::dict& write, const nb::object& progress) {
  const EmbedOptions given =
      embed_options(encode, output_type, id_start, resume, restart, refuse_truncated, write);
  EmbedPlan plan =
      value_of(plan_embedding({name, value_of(resolve_outputs(outputs, given.output)), {}, given}));
  BatchRecords records(std::move(batches), std::move(name));
  try {
    return run_embed(given, progress, [&](const EmbedOptions& options, std::stop_token stop) {
      plan.options = options;
      return embed_records(model, records, plan, std::move(stop));
    });
  } catch (...) {
    records.raise_again();
    throw;
  }
}

nb::dict verify(const Model& model, const std::filesystem::path& vectors,
                const std::filesystem::path& texts, std::uint64_t sample, std::uint64_t seed,
                bool force, const nb::dict& input_options_given, int threads) {
  VerifyOptions options = {.sample = sample, .seed = seed, .force = force};
  options.encode.threads = threads;
  options.input = input_options(input_options_given);
  const Verification found = run_long([&](std::stop_token stop) {
    return verify_file(model, vectors, texts, options, std::move(stop));
  });
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
  module.def("embed_file", &embed, "model"_a, "input"_a, "outputs"_a, "encode"_a, "input_options"_a,
             "output_type"_a, "id_start"_a.none(), "resume"_a, "restart"_a, "refuse_truncated"_a,
             "write"_a, "progress"_a.none());
  module.def("embed_batches", &embed_batches, "model"_a, "batches"_a, "name"_a, "outputs"_a,
             "encode"_a, "output_type"_a, "id_start"_a.none(), "resume"_a, "restart"_a,
             "refuse_truncated"_a, "write"_a, "progress"_a.none());
  module.def("verify", &verify, "model"_a, "vectors"_a, "texts"_a, "sample"_a, "seed"_a, "force"_a,
             "input_options"_a, "threads"_a);
}

}  // namespace embd::python
