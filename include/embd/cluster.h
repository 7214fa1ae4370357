#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/model.h"
#include "embd/texts.h"
#include "embd/vectors.h"

namespace embd {

/// How rows are grouped.
enum class ClusterMethod : std::uint8_t {
  kmeans,   ///< spherical k-means: every row is in one of k groups
  density,  ///< HDBSCAN: groups of any number where rows lie densely; rows elsewhere are in none
};

/// The group of a row that is in none.
inline constexpr std::int32_t no_group = -1;

struct ClusterOptions {
  ClusterMethod method = ClusterMethod::kmeans;
  /// k-means: how many groups; 0: as many as have the greatest mean silhouette on a sample.
  std::uint32_t k = 0;
  /// k-means: decides which rows are drawn as first centers.
  std::uint64_t seed = 0;
  /// density: rows that a group has at least.
  std::uint32_t min_size = 10;
  /// density: the neighbour, counted with the row itself, whose distance says how densely a row
  /// lies; 0: min_size.
  std::uint32_t min_samples = 0;
  /// density: up to so many rows are compared each with each. Beyond, the neighbours come from a
  /// HNSW index, and groups are those of the neighbours' links.
  std::uint64_t exact_rows = 50'000;
  int threads = 0;  ///< 0: what affinity and the cgroup allow; changes no result
};

/// Rows in groups, which are numbered from the largest on, equal ones by their first rows.
struct Clusters {
  std::vector<std::int32_t> groups;  ///< [rows], no_group for a row in none
  /// [rows], 1 − cosine to the center of the row's group; to the nearest center for a row in none
  /// (NaN where there are no groups).
  std::vector<float> distances;
  /// [rows], from 0: how many rows of the group (or in none) are nearer to the center.
  std::vector<std::uint64_t> places;
  Matrix centers;                    ///< [groups, dim], of length 1
  std::vector<std::uint64_t> sizes;  ///< [groups]
  double inertia = 0;                ///< the sum of the distances of all rows that are in a group
};

/// Groups rows [n, dim] by their cosines; their lengths count for nothing. Equal rows, options and
/// seed give equal bytes, on any processor and number of threads. Errors: invalid_argument for more
/// groups than rows; bad_value for a row with a value that is not finite; cancelled; out_of_memory.
Result<Clusters> cluster_rows(MatrixView rows, const ClusterOptions& options = {},
                              std::stop_token stop = {});

/// The words and rows that describe a group.
struct GroupName {
  std::vector<std::string> words;           ///< the words that tell it from the others, best first
  std::vector<std::uint64_t> central_rows;  ///< the rows nearest to its center
};

/// Names each group by `num_words` words of its texts and by its `num_rows` most central rows.
/// `texts` [rows], or none for no words. Words are those of a BERT tokenizer in lower case, ranked
/// by class tf-idf: how often a group's texts have a word, against how often all texts have it.
/// Error: invalid_argument for another number of texts than of rows.
Result<std::vector<GroupName>> name_groups(const Clusters& clusters,
                                           std::span<const std::string_view> texts,
                                           std::size_t num_words = 5, std::size_t num_rows = 3);

struct ClusterFileOptions {
  ClusterOptions cluster = {};
  ReadOptions read = {};  ///< how a vector set is read
  /// The texts of a vector set; empty: those that the set holds, if it holds any.
  std::filesystem::path texts = {};
  InputOptions input = {};    ///< of texts
  EncodeOptions encode = {};  ///< how texts are embedded
  std::size_t num_words = 5;  ///< that name a group
  std::size_t num_rows = 3;   ///< most central ones of a group
};

/// A group, for people.
struct ClusterSummary {
  std::uint64_t size = 0;
  float mean_distance = 0;  ///< of its rows to its center, 1 − cosine
  std::vector<std::string> words;
  std::vector<std::string> central_ids;
  std::vector<std::string> central_texts;  ///< none without texts
};

struct ClusterReport {
  std::uint64_t rows = 0;
  std::uint64_t rows_in_none = 0;
  double inertia = 0;  ///< Clusters::inertia
  std::vector<ClusterSummary> groups;
};

/// Groups the rows of an input and writes a row a line to each output: its id, its group, its
/// distance to the group's center, its place in the group, the group's name and its text, if there
/// are texts. An output is Parquet (.parquet), csv (.csv) or else JSON Lines; "-" is standard
/// output. All appear whole, or none does. `model` embeds texts; it may be null for a vector set.
/// Memory: the vectors, the texts and, for density, an index of large sets. Errors: those of
/// reading, embedding and writing; those of cluster_rows().
Result<ClusterReport> cluster_file(const Model* model, const std::filesystem::path& input,
                                   const std::vector<std::filesystem::path>& outputs,
                                   const ClusterFileOptions& options = {},
                                   std::stop_token stop = {});

}  // namespace embd
