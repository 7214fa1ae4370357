#include <fmt/core.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/output_file.h"
#include "embd/cluster.h"
#include "embd/dedupe.h"
#include "embd/map.h"
#include "embd/neighbours.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/texts.h"
#include "jobs/analysis/color_values.h"
#include "jobs/options/job_lists.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

Keep keep_of(const std::string& name) {
  for (const auto& [word, keep] : keep_names)
    if (word == name) return keep;
  raise_invalid(fmt::format("keep is \"{}\", expected \"first\" or \"longest\"", name));
}

nb::object recall_of(const std::optional<DuplicateRecall>& recall) {
  if (!recall) return nb::none();
  nb::dict dict;
  dict["rows"] = recall->rows;
  dict["pairs"] = recall->pairs;
  dict["found"] = recall->found;
  return dict;
}

/// Returns pairs as arrays: row numbers [pairs, 2] and similarities [pairs].
nb::tuple arrays_of(const std::vector<DuplicatePair>& pairs) {
  auto rows = new_array<std::int64_t>(pairs.size(), 2);
  std::vector<float> similarities;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    rows.values()[2 * i] = static_cast<std::int64_t>(pairs[i].row);
    rows.values()[2 * i + 1] = static_cast<std::int64_t>(pairs[i].other);
    similarities.push_back(pairs[i].similarity);
  }
  return nb::make_tuple(rows.release(), array_of(std::move(similarities)));
}

nb::object signed_array_of(const std::vector<std::uint64_t>& values) {
  return array_of(std::vector<std::int64_t>(values.begin(), values.end()));
}

DedupeOptions dedupe_options(double min_similarity, const std::string& keep,
                             std::uint64_t exact_rows, int threads) {
  return {.min_similarity = min_similarity,
          .keep = keep_of(keep),
          .exact_rows = exact_rows,
          .threads = threads};
}

nb::tuple dedupe(const RowsArgument& rows, const std::vector<std::uint64_t>& lengths,
                 double min_similarity, const std::string& keep, std::uint64_t exact_rows,
                 int threads) {
  const DedupeOptions options = dedupe_options(min_similarity, keep, exact_rows, threads);
  const Duplicates found = run_long([&](std::stop_token stop) {
    return find_duplicates(view_of(rows), options, lengths, std::move(stop));
  });
  const nb::tuple pairs = arrays_of(found.pairs);
  return nb::make_tuple(signed_array_of(found.representatives), pairs[0], pairs[1],
                        recall_of(found.recall));
}

nb::tuple leaks(const RowsArgument& rows, const RowsArgument& others, double min_similarity,
                std::uint64_t exact_rows, int threads) {
  const DedupeOptions options = dedupe_options(min_similarity, "first", exact_rows, threads);
  const Leaks found = run_long([&](std::stop_token stop) {
    return find_leaks(view_of(rows), view_of(others), options, std::move(stop));
  });
  const nb::tuple pairs = arrays_of(found.pairs);
  return nb::make_tuple(pairs[0], pairs[1], recall_of(found.recall));
}

/// Returns the words of each group and the central rows of each group, as two lists of lists.
nb::tuple lists_of(const std::vector<GroupName>& names) {
  nb::list words;
  nb::list rows;
  for (const GroupName& name : names) {
    words.append(nb::cast(name.words));
    rows.append(nb::cast(name.central_rows));
  }
  return nb::make_tuple(words, rows);
}

nb::tuple cluster(const RowsArgument& rows, nb::handle texts, std::size_t num_words,
                  const nb::dict& keywords) {
  ClusterOptions options;
  set_options(keywords, options);
  std::optional<Texts> given;
  if (!texts.is_none()) given.emplace(texts);
  const std::span<const std::string_view> views =
      given ? given->views() : std::span<const std::string_view>();
  std::vector<GroupName> names;
  Clusters found = run_long([&](std::stop_token stop) -> Result<Clusters> {
    auto clusters = cluster_rows(view_of(rows), options, std::move(stop));
    if (!clusters) return clusters;
    auto named = name_groups(*clusters, views, num_words);
    if (!named) return std::unexpected(std::move(named).error());
    names = std::move(*named);
    return clusters;
  });
  auto centers = new_array<float>(found.centers.rows(), found.centers.cols());
  std::ranges::copy(found.centers.values(), centers.values().begin());
  const nb::tuple lists = lists_of(names);
  return nb::make_tuple(array_of(std::move(found.groups)), array_of(std::move(found.distances)),
                        signed_array_of(found.places), centers.release(),
                        signed_array_of(found.sizes), found.inertia, lists[0], lists[1]);
}

nb::tuple agreement(const RowsArgument& a, const RowsArgument& b, std::uint32_t k,
                    std::uint64_t sample, int threads) {
  const AgreementOptions options = {.k = k, .sample = sample, .threads = threads};
  const NeighbourAgreement found = run_long([&](std::stop_token stop) {
    return compare_neighbours(view_of(a), view_of(b), options, std::move(stop));
  });
  std::vector<std::int64_t> rows;
  std::vector<float> overlaps;
  std::vector<float> correlations;
  for (const RowAgreement& row : found.rows) {
    rows.push_back(static_cast<std::int64_t>(row.row));
    overlaps.push_back(row.overlap);
    correlations.push_back(row.rank_correlation);
  }
  return nb::make_tuple(found.k, found.overlap, found.rank_correlation, array_of(std::move(rows)),
                        array_of(std::move(overlaps)), array_of(std::move(correlations)));
}

}  // namespace

void bind_analysis(nb::module_& module) {
  module.def("dedupe", &dedupe, "rows"_a, "lengths"_a, "min_similarity"_a, "keep"_a, "exact_rows"_a,
             "threads"_a);
  module.def("leaks", &leaks, "rows"_a, "others"_a, "min_similarity"_a, "exact_rows"_a,
             "threads"_a);
  module.def("cluster", &cluster, "rows"_a, "texts"_a.none(), "num_words"_a, "options"_a);
  module.def("compare_neighbours", &agreement, "a"_a, "b"_a, "k"_a, "sample"_a, "threads"_a);
}

namespace {

ProjectOptions project_options(std::uint32_t neighbours, std::uint32_t epochs, int threads) {
  return {.neighbours = neighbours, .epochs = epochs, .threads = threads};
}

nb::object array_of_places(const Matrix& places) {
  auto array = new_array<float>(places.rows(), 2);
  std::ranges::copy(places.values(), array.values().begin());
  return array.release();
}

nb::object project_rows(const RowsArgument& rows, std::uint32_t neighbours, std::uint32_t epochs,
                        int threads) {
  return array_of_places(run_long([&](std::stop_token stop) {
    return project(view_of(rows), project_options(neighbours, epochs, threads), std::move(stop));
  }));
}

/// Returns values of Python as values of a field: None, numbers, and the str() of everything else.
std::vector<FieldValue> field_values(const nb::list& values) {
  std::vector<FieldValue> fields;
  for (const nb::handle value : values) {
    if (value.is_none()) {
      fields.emplace_back();
    } else if (nb::isinstance<nb::float_>(value) ||
               (nb::isinstance<nb::int_>(value) && !nb::isinstance<nb::bool_>(value))) {
      fields.emplace_back(nb::cast<double>(value));
    } else {
      fields.emplace_back(std::string(utf8_of(nb::str(value))));
    }
  }
  return fields;
}

/// Makes a map of rows, without texts, ids and groups.
RowMap map_of(const RowsArgument& rows, std::uint32_t neighbours, std::uint32_t epochs,
              std::uint32_t nearest, int threads) {
  const MapOptions options = {.project = project_options(neighbours, epochs, threads),
                              .nearest = nearest};
  return run_long([&](std::stop_token stop) { return map_rows(view_of(rows), options, stop); });
}

std::vector<std::string> strings_of(nb::handle given) {
  const Texts all(given);
  return {all.views().begin(), all.views().end()};
}

/// Groups rows by `values`, of which there is one for each row. `name` is their name.
void color_by(RowMap& map, const nb::list& values, const std::string& name) {
  color_by_values(field_values(values), name, map);
}

/// Finds `groups` groups of the rows, or the usual number of groups.
void find_groups(RowMap& map, const RowsArgument& rows, std::optional<std::uint32_t> groups,
                 int threads) {
  const std::uint32_t k = groups.value_or(usual_groups(map.num_rows()));
  if (k == 0) return;
  run_long([&](std::stop_token stop) {
    return group_map(map, view_of(rows), {.k = k, .threads = threads}, stop);
  });
}

nb::object labels_of(const RowMap& map) {
  std::vector<std::int32_t> labels = map.groups;
  labels.resize(map.num_rows(), no_group);
  return array_of(std::move(labels));
}

std::string page_of(const RowMap& map, std::uint32_t text_bytes) {
  return run_long([&](std::stop_token) { return map_page(map, {.text_bytes = text_bytes}); });
}

std::string picture_of(const RowMap& map, std::uint32_t width, std::uint32_t height, bool dark) {
  return run_long([&](std::stop_token) {
    return map_picture(map, {.width = width, .height = height, .dark = dark});
  });
}

/// Writes a text to a file, which appears whole or not at all.
void write_file(const std::string& path, const std::string& text) {
  run_long([&](std::stop_token) { return write_text_file(path, text); });
}

}  // namespace

void bind_map(nb::module_& module) {
  module.def("project", project_rows, "rows"_a, "neighbours"_a, "epochs"_a, "threads"_a,
             nb::sig("def project(rows: numpy.typing.NDArray[numpy.float32], neighbours: int, "
                     "epochs: int, threads: int) -> numpy.typing.NDArray[numpy.float32]"));
  nb::class_<RowMap>(module, "RowMap")
      .def_prop_ro(
          "places", [](const RowMap& map) { return array_of_places(map.places); },
          nb::sig("def places(self) -> numpy.typing.NDArray[numpy.float32]"))
      .def_prop_ro("labels", labels_of,
                   nb::sig("def labels(self) -> numpy.typing.NDArray[numpy.int32]"))
      .def_prop_ro("names", [](const RowMap& map) { return map.group_names; })
      .def_rw("title", &RowMap::title)
      .def(
          "set_texts", [](RowMap& map, nb::handle texts) { map.texts = strings_of(texts); },
          "texts"_a)
      .def(
          "set_ids", [](RowMap& map, nb::handle ids) { map.ids = strings_of(ids); }, "ids"_a)
      .def("color_by", color_by, "values"_a, "name"_a)
      .def("find_groups", find_groups, "rows"_a, "groups"_a.none(), "threads"_a)
      .def("page", page_of, "text_bytes"_a)
      .def("picture", picture_of, "width"_a, "height"_a, "dark"_a);
  module.def("write_file", write_file, "path"_a, "text"_a);
  module.def("map_rows", map_of, "rows"_a, "neighbours"_a, "epochs"_a, "nearest"_a, "threads"_a);
}

}  // namespace embd::python
