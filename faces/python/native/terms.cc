#include "embd/terms.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "base/try.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/texts.h"
#include "jobs/options/vector_lists.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

std::unique_ptr<TermIndex> open_terms(const std::filesystem::path& path) {
  return std::make_unique<TermIndex>(
      run_long([&](std::stop_token) { return TermIndex::open(path); }));
}

std::unique_ptr<TermIndex> build_terms(nb::handle texts, const Model* model,
                                       const nb::dict& given) {
  const Texts batch(texts);
  TermOptions options = {.model = model};
  set_options(given, options);
  return std::make_unique<TermIndex>(
      run_long([&](std::stop_token) { return TermIndex::build(batch.views(), options); }));
}

nb::dict info_of(const TermIndex& index) {
  const TermIndexInfo info = index.info();
  nb::dict dict;
  dict["num_rows"] = info.num_rows;
  dict["num_terms"] = info.num_terms;
  dict["num_postings"] = info.num_postings;
  dict["average_length"] = info.average_length;
  dict["term_kind"] = name_of(info.recipe.kind, term_kind_names);
  dict["stemmer"] = name_of(info.recipe.stemmer, stemmer_names);
  return dict;
}

std::vector<std::string> terms_of(const TermIndex& index, const std::string& text,
                                  const Model* model) {
  return run_short([&]() -> Result<std::vector<std::string>> {
    return EMBD_TRY(index.query(text, model)).texts;
  });
}

/// Returns the rows of the best hits [n], and their scores [n].
nb::object search_terms(const TermIndex& index, const std::vector<std::string>& terms,
                        std::size_t k, nb::handle allowed) {
  const std::vector<std::uint64_t> numbers =
      allowed.is_none() ? std::vector<std::uint64_t>() : numbers_of(allowed);
  TermSearchOptions options;
  if (!allowed.is_none()) options.rows = numbers;
  const std::vector<TermHit> found = run_short([&] { return index.search(terms, k, options); });
  std::vector<std::uint64_t> rows;
  std::vector<float> scores;
  for (const TermHit& hit : found) {
    rows.push_back(hit.row);
    scores.push_back(hit.score);
  }
  return nb::make_tuple(array_of(std::move(rows)), array_of(std::move(scores)));
}

nb::object scores_of(const TermIndex& index, const std::vector<std::string>& terms,
                     nb::handle rows) {
  const std::vector<std::uint64_t> numbers = numbers_of(rows);
  return array_of(run_short([&] { return index.scores(terms, numbers); }));
}

}  // namespace

void bind_terms(nb::module_& module) {
  nb::class_<TermIndex>(module, "TermIndex")
      .def("__len__", &TermIndex::num_rows)
      .def("info", &info_of, nb::sig("def info(self) -> dict[str, typing.Any]"))
      .def("terms", &terms_of, "text"_a, "model"_a.none())
      .def("weight", &TermIndex::weight, "term"_a)
      .def("search", &search_terms, "terms"_a, "count"_a, "rows"_a.none(),
           nb::sig("def search(self, terms: list[str], count: int, rows: typing.Any) -> "
                   "tuple[numpy.typing.NDArray[numpy.uint64], "
                   "numpy.typing.NDArray[numpy.float32]]"))
      .def("scores", &scores_of, "terms"_a, "rows"_a,
           nb::sig("def scores(self, terms: list[str], rows: typing.Any) -> "
                   "numpy.typing.NDArray[numpy.float32]"))
      .def(
          "save",
          [](const TermIndex& index, const std::filesystem::path& path) {
            run_long([&](std::stop_token) { return index.save(path); });
          },
          "path"_a);
  module.def("open_terms", &open_terms, "path"_a);
  module.def("build_terms", &build_terms, "texts"_a, "model"_a.none(), "options"_a);
}

}  // namespace embd::python
