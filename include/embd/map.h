#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "embd/cluster.h"
#include "embd/error.h"
#include "embd/matrix.h"

namespace embd {

/// Options for projecting rows onto a plane.
struct ProjectOptions {
  /// The number of nearest rows that each row is placed close to: at least 1, by default 15. A
  /// small number shows fine groups, a large number how groups lie relative to each other.
  std::uint32_t neighbours = 15;
  /// The number of steps in which points are moved: at least 1, by default 300.
  std::uint32_t epochs = 300;
  /// The number of threads; it changes no byte of the result. 0 means as many as the process's CPU
  /// affinity and cgroup allow.
  int threads = 0;
};

/// Projects rows [n, dim] onto a plane: returns a point for each row, [n, 2], such that rows with a
/// high cosine similarity are close to each other. Coordinates have no unit. The same rows and
/// options give the same bits on every machine. Fails with bad_value, naming the row, for a value
/// that is not finite; with invalid_argument for an option out of range; with cancelled after a
/// stop request; with out_of_memory.
Result<Matrix> project(MatrixView rows, const ProjectOptions& options = {},
                       std::stop_token stop = {});

/// Options for making a map of rows.
struct MapOptions {
  ProjectOptions project = {};
  /// The number of nearest rows that the map can show for each row: at most `project.neighbours`,
  /// by default 8.
  std::uint32_t nearest = 8;
};

/// A map of rows: the content of a picture or page that shows each row as a point. map_rows() fills
/// in the members that follow from the vectors; the caller adds texts, ids, titles and groups.
struct RowMap {
  Matrix places;                  ///< the point of each row, [rows, 2], from project()
  std::uint32_t num_nearest = 0;  ///< the number of nearest rows that are listed for each row
  /// For each row, the numbers of its nearest rows, nearest first, [rows, num_nearest].
  std::vector<std::uint32_t> nearest = {};
  /// The cosine similarity of each row to each of its nearest rows, [rows, num_nearest].
  std::vector<float> similarities = {};

  std::string title = {};               ///< the title; if empty, "Map" is shown
  std::string about = {};               ///< a line that says what the rows are
  std::vector<std::string> texts = {};  ///< the text of each row, [rows]; or empty
  /// The id of each row, [rows]. If the list is empty, row numbers are shown instead.
  std::vector<std::string> ids = {};
  /// The group of each row, [rows]; −1 for a row in no group. The list is empty if there are no
  /// groups.
  std::vector<std::int32_t> groups = {};
  std::vector<std::string> group_names = {};  ///< the name of each group, [groups]
  /// The name of the field or column that the groups come from; empty for groups that were
  /// computed.
  std::string grouped_by = {};
  /// True if each group is a range of a number, from low to high. The colors of the groups then
  /// form a scale in this order, and their names are not written on the map.
  bool is_scale = false;

  std::size_t num_rows() const noexcept { return places.rows(); }
};

/// Makes a map of `rows` [n, dim]: the place of each row on a plane, and its nearest rows with
/// their cosine similarities. The same rows and options give the same map on every machine. Fails
/// with the errors of project().
Result<RowMap> map_rows(MatrixView rows, const MapOptions& options = {}, std::stop_token stop = {});

/// Returns the number of groups that suits a map of `num_rows` rows: a third of the square root of
/// their number, at least 2 and at most 40; 0 for fewer than 12 rows.
std::uint32_t usual_groups(std::uint64_t num_rows) noexcept;

/// Computes groups of a map's rows [n, dim] with cluster_rows() and stores them in the map. Each
/// group is named by three words of its texts, or by its number if the map has no texts. Fails with
/// the errors of cluster_rows().
Result<void> group_map(RowMap& map, MatrixView rows, const ClusterOptions& options = {},
                       std::stop_token stop = {});

/// Options for the HTML page of a map.
struct MapPageOptions {
  /// The number of bytes of each text that the page contains, by default 1000. A longer text is cut
  /// and ends in "…".
  std::uint32_t text_bytes = 1000;
};

/// Returns a self-contained HTML page: the map with zoom, a search in its texts, a legend, and for
/// each row its text and nearest rows. The page loads nothing from any network, and its security
/// policy forbids that. Texts and names are escaped, so they may contain anything. Fails with
/// invalid_argument if members of the map have different numbers of rows, for more than 32,767
/// groups, and for a group without a name; with out_of_memory.
Result<std::string> map_page(const RowMap& map, const MapPageOptions& options = {});

/// Options for the picture of a map.
struct MapPictureOptions {
  std::uint32_t width = 1200;  ///< in pixels
  std::uint32_t height = 800;  ///< in pixels
  bool dark = false;           ///< draw on a dark background instead of a light one
};

/// Returns a picture of the map as SVG: points in the colors of their groups, the names of the
/// groups and a legend. Fails with the errors of map_page(), and with invalid_argument for a width
/// or height below 200 or above 20,000 pixels.
Result<std::string> map_picture(const RowMap& map, const MapPictureOptions& options = {});

/// Options for drawing a map of the rows of a file.
struct MapFileOptions {
  MapOptions map = {};
  ReadOptions read = {};  ///< how to read the input if it is a vector set
  /// A file with a text for each row, if the input is a vector set. If the path is empty, the texts
  /// stored in the vector set are used, if there are any.
  std::filesystem::path texts = {};
  InputOptions input = {};    ///< how to read texts
  EncodeOptions encode = {};  ///< how to embed texts; `threads` comes from `map.project`
  /// The field of the texts, or the column of the vector set (of numbers, of texts, or the metadata
  /// of its sections), whose values are the groups. A number with more than 12 different values is
  /// divided into seven steps with about as many rows each. If it is empty, groups are computed.
  std::string color_by = {};
  /// The number of groups to compute; 0 computes none. If it is unset, usual_groups() chooses the
  /// number.
  std::optional<std::uint32_t> groups = {};
  std::string title = {};  ///< empty: the name of the first input
  MapPageOptions page = {};
  MapPictureOptions picture = {};
};

/// The result of map_file().
struct MapReport {
  std::uint64_t rows = 0;    ///< rows on the map
  std::uint64_t groups = 0;  ///< groups on the map; 0 if it has none
};

/// Draws a map of the rows of texts, from files and folders, or of one vector set. An output whose
/// name ends in .svg is a picture; one that ends in .html or .htm, and "-" (standard output), is a
/// page. Either all outputs appear, complete, or none does. `model` embeds texts and may be null
/// for a vector set. All vectors and texts are held in memory, and about 400 bytes for each row.
/// Fails with invalid_argument for an output with another extension, with missing for a field or
/// column that does not exist, and with the errors of reading, embedding, map_rows(), map_page(),
/// map_picture() and writing.
Result<MapReport> map_file(const Model* model, const std::vector<std::filesystem::path>& inputs,
                           const std::vector<std::filesystem::path>& outputs,
                           const MapFileOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
