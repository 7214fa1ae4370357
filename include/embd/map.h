#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "embd/cluster.h"
#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/project.h"

namespace embd {

struct MapOptions {
  ProjectOptions project = {};
  /// The nearest rows of each row that the map can show, at most project.neighbours.
  std::uint32_t nearest = 8;
};

/// A map of rows: everything that a picture of them shows. map_rows() makes one of the rows alone;
/// the caller adds the rest.
struct RowMap {
  Matrix places;  ///< [rows, 2], of project()
  std::uint32_t num_nearest = 0;
  std::vector<std::uint32_t> nearest = {};  ///< [rows, num_nearest], the nearest first
  std::vector<float> similarities = {};     ///< [rows, num_nearest], cosines

  std::string title = {};
  std::string about = {};                 ///< a line on what the rows are
  std::vector<std::string> texts = {};    ///< [rows], or none
  std::vector<std::string> ids = {};      ///< [rows], or none: row numbers stand for them
  std::vector<std::int32_t> groups = {};  ///< [rows], −1 for a row in none; or none at all
  std::vector<std::string> group_names = {};
  std::string grouped_by = {};  ///< a column's name; empty for groups that were found
  /// The groups are steps of a number, from little to much: they get shades of their order, and no
  /// names on the map.
  bool is_scale = false;

  std::size_t num_rows() const noexcept { return places.rows(); }
};

/// Makes a map of `rows` [n, dim]. The same rows and options give the same map on every machine.
/// Errors: those of project().
Result<RowMap> map_rows(MatrixView rows, const MapOptions& options = {}, std::stop_token stop = {});

/// Returns how many groups are usual on a map of so many rows: the root of their number, thirded,
/// from 2 to 40; none for fewer than 12 rows.
std::uint32_t usual_groups(std::uint64_t num_rows) noexcept;

/// Finds the groups of a map's rows [n, dim], as cluster_rows() does, and names each by three words
/// of its texts, or by its number where the map has no texts. Errors: those of cluster_rows().
Result<void> group_map(RowMap& map, MatrixView rows, const ClusterOptions& options = {},
                       std::stop_token stop = {});

struct MapPageOptions {
  /// Bytes of a text that the page holds; longer texts end in "…".
  std::uint32_t text_bytes = 1000;
};

/// Returns a page of HTML in one piece: the map with zoom, search in its texts, legend, each row's
/// text and nearest rows. A browser that shows it asks nothing of any network, which the page
/// itself forbids. Texts may hold anything. Errors: invalid_argument for a map whose parts are of
/// different sizes, more than 32,767 groups, or a group that has no name; out_of_memory.
Result<std::string> map_page(const RowMap& map, const MapPageOptions& options = {});

struct MapPictureOptions {
  std::uint32_t width = 1200;  ///< pixels
  std::uint32_t height = 800;
  bool dark = false;
};

/// Returns a picture of the map as SVG: points in their groups' colors, names and a legend. Errors:
/// those of map_page(); invalid_argument for less than 200 pixels or more than 20,000.
Result<std::string> map_picture(const RowMap& map, const MapPictureOptions& options = {});

struct MapFileOptions {
  MapOptions map = {};
  ReadOptions read = {};  ///< how a vector set is read
  /// The texts of a vector set; empty: those that the set holds, if it holds any.
  std::filesystem::path texts = {};
  InputOptions input = {};    ///< of texts
  EncodeOptions encode = {};  ///< how texts are embedded
  /// A field of the texts, or else a column of the set, whose values are the groups; empty: groups
  /// are found. Numbers of more than 12 values become seven steps with as many rows each.
  std::string color_by = {};
  /// Groups that are found; 0: none, nothing: usual_groups().
  std::optional<std::uint32_t> groups = {};
  std::string title = {};  ///< empty: the name of the input
  MapPageOptions page = {};
  MapPictureOptions picture = {};
};

struct MapReport {
  std::uint64_t rows = 0;
  std::uint64_t groups = 0;
};

/// Draws a map of texts or of a vector set. An output whose name ends in .svg is a picture; others
/// are pages (.html, .htm, and "-", standard output). All appear whole, or none does. `model`
/// embeds texts; it may be null for a vector set. Memory: the vectors, the texts, and for each row
/// some 400 bytes. Errors: those of reading, embedding and writing; those of map_rows() and
/// map_page(); invalid_argument for an output of another name; missing for a field or column that
/// is not there.
Result<MapReport> map_file(const Model* model, const std::filesystem::path& input,
                           const std::vector<std::filesystem::path>& outputs,
                           const MapFileOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
