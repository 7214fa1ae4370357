#include "embd/digest.h"

#include <fmt/core.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "base/try.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/texts.h"
#include "formats/recipe_json.h"
#include "formats/vectors/ids.h"
#include "jobs/options/job_lists.h"
#include "jobs/options/vector_lists.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

/// The number of float32 values that are hashed within milliseconds.
constexpr std::size_t quickly_hashed = std::size_t{1} << 20;

/// A digest that several threads of Python may use at once.
class SharedDigest {
 public:
  explicit SharedDigest(Digest digest) : digest_(std::move(digest)) {}

  Digest get() const {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    return digest_;
  }
  /// Calls work(digest, stop) while no other thread uses the digest. If the work fails, the digest
  /// stays unchanged. The GIL is released.
  template <class Work>
  void change(bool is_short, Work&& work) {
    run(is_short, [&](std::stop_token stop) -> Result<void> {
      const std::lock_guard lock(mutex_);
      Digest changed = digest_;
      EMBD_TRY(work(changed, std::move(stop)));
      digest_ = std::move(changed);
      return {};
    });
  }

 private:
  mutable std::mutex mutex_;
  Digest digest_;
};

/// Rows with their ids and texts.
struct Rows {
  MatrixView vectors;
  Ids ids;
  std::uint64_t first_row = 0;
  std::span<const std::string_view> texts;
};

Result<void> add_rows(Digest& digest, const Rows& rows, const std::stop_token& stop) {
  const std::size_t step = std::max<std::size_t>(1, quickly_hashed / (rows.vectors.cols() + 1));
  for (std::size_t first = 0; first < rows.vectors.rows(); first += step) {
    if (stop.stop_requested()) return fail_stopped();
    const std::size_t count = std::min(step, rows.vectors.rows() - first);
    EMBD_TRY(digest.update(rows.vectors.slice(first, count), slice_ids(rows.ids, first, count),
                           rows.first_row + first,
                           rows.texts.empty() ? rows.texts : rows.texts.subspan(first, count)));
  }
  return {};
}

void update(SharedDigest& digest, const RowsArgument& vectors, nb::handle ids,
            std::uint64_t first_row, nb::handle texts) {
  std::optional<Texts> batch;
  if (!texts.is_none()) batch.emplace(texts);
  const Rows rows = {.vectors = view_of(vectors),
                     .ids = ids_of(ids),
                     .first_row = first_row,
                     .texts = batch ? batch->views() : std::span<const std::string_view>()};
  const std::size_t count = rows.vectors.rows();
  if (batch && rows.texts.size() != count)
    raise_invalid(fmt::format("{} rows and {} texts were given, expected one text for each row",
                              count, rows.texts.size()));
  if (const auto num_ids = count_ids(rows.ids); num_ids && *num_ids != count)
    raise_invalid(fmt::format("{} rows and {} ids were given, expected one id for each row", count,
                              *num_ids));
  digest.change(rows.vectors.values().size() <= quickly_hashed,
                [&](Digest& changed, std::stop_token stop) {
                  return add_rows(changed, rows, std::move(stop));
                });
}

}  // namespace

void bind_digest(nb::module_& module) {
  const auto said = [](auto member) {
    return [member](const SharedDigest& digest) { return (digest.get().*member)(); };
  };
  nb::class_<SharedDigest>(module, "Digest")
      .def(
          "__init__",
          [](SharedDigest* place, const std::optional<std::string>& recipe) {
            new (place)
                SharedDigest(Digest(recipe ? value_of(recipe_from_json(*recipe)) : Recipe()));
          },
          "recipe"_a = nb::none())
      .def("update", &update, "rows"_a, "ids"_a.none(), "first_row"_a, "texts"_a.none(),
           nb::sig("def update(self, rows: numpy.typing.NDArray[numpy.float32], ids: object, "
                   "first_row: int, texts: object) -> None"))
      .def(
          "add",
          [](SharedDigest& self, const SharedDigest& other) {
            self.change(true, [added = other.get()](Digest& changed, const std::stop_token&) {
              return changed.add(added);
            });
          },
          "other"_a)
      .def("copy",
           [](const SharedDigest& self) { return std::make_unique<SharedDigest>(self.get()); })
      .def(
          "equals",
          [](const SharedDigest& self, const SharedDigest& other) {
            return self.get() == other.get();
          },
          "other"_a)
      .def_prop_ro("count", said(&Digest::count))
      .def_prop_ro("has_texts", said(&Digest::has_texts))
      .def("hex", said(&Digest::hex))
      .def("vectors_hex", said(&Digest::vectors_hex))
      .def("input_hex", said(&Digest::input_hex))
      .def("recipe_hex", [](const SharedDigest& self) { return self.get().recipe_hex(); })
      .def("to_json", said(&Digest::to_json))
      .def_static(
          "from_json",
          [](const std::string& text) {
            return std::make_unique<SharedDigest>(value_of(Digest::from_json(text)));
          },
          "text"_a);
  module.def(
      "digest_file",
      [](const std::filesystem::path& vectors, const std::vector<std::filesystem::path>& texts,
         const nb::dict& given) {
        ReadOptions read;
        InputOptions input;
        set_options(given, read, input);
        return std::make_unique<SharedDigest>(
            run_long([&](std::stop_token) { return digest_file(vectors, read, texts, input); }));
      },
      "vectors"_a, "texts"_a, "options"_a);
}

}  // namespace embd::python
