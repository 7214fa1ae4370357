#include "embd/collect.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "jobs/options/job_lists.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
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

}  // namespace embd::python
