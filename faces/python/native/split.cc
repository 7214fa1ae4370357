#include "embd/split.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/try.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "jobs/options/job_lists.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
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
