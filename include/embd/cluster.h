#pragma once

#include <cstdint>
#include <filesystem>
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

/// The method by which rows are grouped: k-means or HDBSCAN.
enum class ClusterMethod : std::uint8_t {
  kmeans,  ///< spherical k-means: every row belongs to one of k groups
  /// HDBSCAN: finds as many groups as there are regions where rows lie densely; all other rows
  /// belong to no group.
  density,
};

/// The group number, -1, of a row that belongs to no group.
inline constexpr std::int32_t no_group = -1;

/// Options for grouping rows.
struct ClusterOptions {
  ClusterMethod method = ClusterMethod::kmeans;
  /// The number of groups for k-means. 0, the default, chooses the number with the greatest mean
  /// silhouette on a sample of the rows.
  std::uint32_t k = 0;
  /// The seed of the random numbers with which k-means draws the rows that are its first centers; 0
  /// by default.
  std::uint64_t seed = 0;
  /// The smallest number of rows in a group of the density method: at least 2, by default 10.
  std::uint32_t min_size = 10;
  /// A number k for the density method: the distance of a row to its k-th nearest row says how
  /// densely rows lie around it. The row itself counts as the first. 0, the default, means
  /// `min_size`.
  std::uint32_t min_samples = 0;
  /// The largest number of rows, by default 50,000, for which the density method compares every
  /// pair of rows. More rows are searched through an HNSW index, and the groups follow from the
  /// nearest neighbours that it finds.
  std::uint64_t exact_rows = 50'000;
  /// The number of threads; it changes no result. 0 means as many as the process's CPU affinity and
  /// cgroup allow.
  int threads = 0;
};

/// The result of grouping rows. Groups are numbered by size, beginning with the largest; of equally
/// large groups, the one that contains the earlier row comes first.
struct Clusters {
  /// The group number of each row, [rows]; no_group for a row in no group.
  std::vector<std::int32_t> groups;
  /// The distance of each row, [rows], to the center of its group: 1 − cosine similarity. For a row
  /// in no group, the distance to the nearest center; NaN if there are no groups at all.
  std::vector<float> distances;
  /// The rank of each row, [rows], within its group (or among the rows in no group), by its
  /// distance to the center: 0 for the nearest row.
  std::vector<std::uint64_t> places;
  Matrix centers;                    ///< the centers, [groups, dim], of length 1
  std::vector<std::uint64_t> sizes;  ///< the number of rows in each group, [groups]
  double inertia = 0;  ///< the sum of `distances` over all rows that belong to a group
};

/// Groups rows [n, dim] by their cosine similarity; the lengths of the rows do not matter. The same
/// rows, options and seed give the same bytes on every processor and with any number of threads.
/// Fails with invalid_argument for more groups than rows or for a `min_size` below 2, with
/// bad_value for a row with a value that is not finite, with cancelled after a stop request, and
/// with out_of_memory.
Result<Clusters> cluster_rows(MatrixView rows, const ClusterOptions& options = {},
                              std::stop_token stop = {});

/// A description of one group: words that are typical of its texts, and the rows nearest to its
/// center.
struct GroupName {
  std::vector<std::string> words;  ///< words that distinguish the group from the others, best first
  /// The numbers of the rows nearest to the group's center, nearest first.
  std::vector<std::uint64_t> central_rows;
};

/// Describes each group by up to `num_words` words that are typical of its texts and by the
/// `num_rows` rows nearest to its center. `texts` has one text for each row; without texts, no
/// words are returned. Words are split as a BERT tokenizer splits them, in lower case, and ranked
/// by class-based tf-idf: the share of the group's texts that contain a word, compared with the
/// share of all groups' texts that contain it. Numbers, single letters and the stop words of
/// English name nothing. Fails with invalid_argument if the numbers of texts and rows differ.
Result<std::vector<GroupName>> name_groups(const Clusters& clusters,
                                           std::span<const std::string_view> texts,
                                           std::size_t num_words = 5, std::size_t num_rows = 3);

/// Options for grouping the rows of a file.
struct ClusterFileOptions {
  ClusterOptions cluster = {};
  ReadOptions read = {};  ///< how to read the input if it is a vector set
  /// A file with a text for each row, if the input is a vector set. If the path is empty, the texts
  /// stored in the vector set are used, if there are any.
  std::filesystem::path texts = {};
  InputOptions input = {};    ///< how to read texts
  EncodeOptions encode = {};  ///< how to embed texts; `threads` comes from `cluster`
  std::size_t num_words = 5;  ///< how many words describe a group
  std::size_t num_rows = 3;   ///< how many central rows describe a group
};

/// A summary of one group for a report: its size, and the words and rows that describe it.
struct ClusterSummary {
  std::uint64_t size = 0;  ///< the number of rows in the group
  /// The mean, over the rows of the group, of 1 − the cosine similarity of a row and the group's
  /// center.
  float mean_distance = 0;
  /// The words that distinguish the group from the others, best first; empty without texts.
  std::vector<std::string> words;
  /// The ids of the rows nearest to the group's center, nearest first. A row without an id is named
  /// by its number.
  std::vector<std::string> central_ids;
  std::vector<std::string> central_texts;  ///< the texts of these rows; empty without texts
};

/// The result of cluster_file().
struct ClusterReport {
  std::uint64_t rows = 0;          ///< rows of the input
  std::uint64_t rows_in_none = 0;  ///< rows that belong to no group
  double inertia = 0;  ///< the sum of the distances of rows to the centers of their groups
  std::vector<ClusterSummary> groups;  ///< a summary of each group, in the order of group numbers
};

/// Groups the rows of texts, from files and folders, or of one vector set, and writes a table to
/// each output. The table has a line for each row: its id, its group number, its distance to the
/// group's center and its rank in the group. If there are texts, the line also has the name of the
/// group and the text.
///
/// An output is written as Parquet if its name ends in .parquet, as CSV if it ends in .csv, and
/// otherwise as JSON Lines; "-" is standard output. Either all outputs appear, complete, or none
/// does. `model` embeds texts and may be null for a vector set. All vectors and texts are held in
/// memory; for a large set, the density method also holds an index. Fails with the errors of
/// reading, embedding, cluster_rows() and writing.
Result<ClusterReport> cluster_file(const Model* model,
                                   const std::vector<std::filesystem::path>& inputs,
                                   const std::vector<std::filesystem::path>& outputs,
                                   const ClusterFileOptions& options = {},
                                   std::stop_token stop = {});

}  // namespace embd
