#include <fmt/core.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "embd/cluster.h"
#include "embd/dedupe.h"
#include "embd/neighbours.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "faces/python/native/rows.h"
#include "faces/python/native/texts.h"
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

}  // namespace embd::python
