#include "embd/vectors.h"

#include <fmt/core.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>

#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "formats/recipe_json.h"
#include "jobs/options/vector_lists.h"
#include "jobs/sets/format_table.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

std::shared_ptr<VectorReader> open_vectors(const std::filesystem::path& path,
                                           const nb::dict& given) {
  ReadOptions options;
  set_options(given, options);
  return run_long([&](std::stop_token) { return open_vectors(path, options); });
}

void check_rows(const VectorReader& reader, std::uint64_t first, std::uint64_t count) {
  const std::uint64_t rows = reader.info().num_rows;
  if (first > rows || count > rows - first) {
    raise_invalid(fmt::format("rows {} to {} were asked for, but there are {} rows, counted from 0",
                              first, first + count, rows));
  }
}

nb::object read(const VectorReader& reader, std::uint64_t first, std::uint64_t count) {
  check_rows(reader, first, count);
  auto rows = new_array<float>(count, reader.info().dim);
  run_long([&](std::stop_token) { return reader.read(first, count, rows.values()); });
  return rows.release();
}

/// Returns rows as they are stored, [count, bytes of a row]; None if they are stored in a code.
nb::object read_raw(const VectorReader& reader, std::uint64_t first, std::uint64_t count) {
  check_rows(reader, first, count);
  const PlainRowSource* plain = reader.plain_rows();
  if (plain == nullptr) return nb::none();
  std::vector<std::byte> raw;
  run_long([&](std::stop_token) { return plain->read_stored(first, count, raw); });
  auto rows = new_array<std::uint8_t>(count, count == 0 ? 0 : raw.size() / count);
  std::memcpy(rows.values().data(), raw.data(), raw.size());
  return rows.release();
}

/// Returns the rows in the mapped file. The array keeps the file open.
nb::object view(const std::shared_ptr<VectorReader>& reader) {
  const PlainRowSource* plain = reader->plain_rows();
  const auto rows = plain == nullptr ? std::nullopt : plain->view();
  if (!rows) return nb::none();
  auto* kept = new std::shared_ptr<VectorReader>(reader);
  const nb::capsule owner(
      kept, [](void* p) noexcept { delete static_cast<std::shared_ptr<VectorReader>*>(p); });
  return to_python(nb::ndarray<nb::numpy, const float, nb::ndim<2>>(
      rows->data(), {rows->rows(), rows->cols()}, owner));
}

std::vector<float> norms(const VectorReader& reader) {
  const WordEmbeddingSource* words = reader.word_embeddings();
  if (words == nullptr) return {};
  return run_long([&](std::stop_token) { return words->norms(); });
}

std::string metadata(const VectorReader& reader) {
  const WordEmbeddingSource* words = reader.word_embeddings();
  if (words == nullptr) return {};
  return run_short([&] { return words->metadata(); });
}

std::optional<std::string> stored_recipe(const VectorReader& reader) {
  const auto found = run_short([&] { return reader.recipe(); });
  if (!found) return std::nullopt;
  return recipe_to_json(*found);
}

void write(const std::filesystem::path& path, const RowsArgument& rows, nb::handle ids,
           const std::optional<std::string>& recipe, const nb::dict& given) {
  WriteOptions options;
  set_options(given, options);
  const Format& format = *value_of(format_for_output(path, options.format));
  check_formats(given, options, {format.name});
  if (recipe) options.recipe = value_of(recipe_from_json(*recipe));
  options.ids = ids_of(ids);
  options.num_rows = rows.shape(0);
  run_long([&](std::stop_token) { return write_vectors(path, view_of(rows), options); });
}

}  // namespace

void bind_vectors(nb::module_& module) {
  const auto info = [](auto member) {
    return [member](const VectorReader& reader) { return reader.info().*member; };
  };
  nb::class_<VectorReader>(module, "VectorReader")
      .def_prop_ro("format", info(&VectorSetInfo::format))
      .def_prop_ro("encoding", info(&VectorSetInfo::encoding))
      .def_prop_ro("num_rows", info(&VectorSetInfo::num_rows))
      .def_prop_ro("dim", info(&VectorSetInfo::dim))
      .def_prop_ro("column", info(&VectorSetInfo::column))
      .def_prop_ro(
          "element_type",
          [](const VectorReader& reader) { return element_name(reader.info().element_type); })
      .def("read", &read, "first"_a, "count"_a,
           nb::sig("def read(self, first: int, count: int) -> numpy.typing.NDArray[numpy.float32]"))
      .def("read_raw", &read_raw, "first"_a, "count"_a,
           nb::sig("def read_raw(self, first: int, count: int) -> "
                   "numpy.typing.NDArray[numpy.uint8] | None"))
      .def(
          "ids",
          [](const VectorReader& reader) {
            return from_ids(run_long([&](std::stop_token) { return reader.ids(); }));
          },
          nb::sig("def ids(self) -> numpy.typing.NDArray[numpy.uint64] | list[str] | None"))
      .def(
          "norms", [](const VectorReader& reader) { return array_of(norms(reader)); },
          nb::sig("def norms(self) -> numpy.typing.NDArray[numpy.float32]"))
      .def("recipe", &stored_recipe, "Returns the recipe as a JSON object, or None.")
      .def("metadata", &metadata)
      .def("describe", &VectorReader::describe, "Describes the file as a JSON object.")
      .def("verify", [](const VectorReader& reader) {
        run_long([&](std::stop_token) { return reader.verify(); });
      });
  module.def("open_vectors", &open_vectors, "path"_a, "options"_a);
  module.def("view_rows", &view, "reader"_a,
             "Returns the rows in the mapped file, or None if they cannot be used in place.",
             nb::sig("def view_rows(reader: VectorReader) -> "
                     "numpy.typing.NDArray[numpy.float32] | None"));
  module.def("write_vectors", &write, "path"_a, "rows"_a, "ids"_a.none(), "recipe"_a.none(),
             "options"_a,
             nb::sig("def write_vectors(path: str, rows: numpy.typing.NDArray[numpy.float32], ids: "
                     "object, recipe: str | None, options: dict[str, object]) -> None"));
}

}  // namespace embd::python
