#pragma once

#include <filesystem>
#include <span>

#include "base/output_file.h"
#include "formats/vectors/usearch/usearch_layout.h"

namespace embd::usearch {

/// Writes a dense index in the order of the file: rows, then the graph's levels, then nodes. The
/// bytes are those that USearch writes for the same content. The header is not checked.
class Writer {
 public:
  /// Creates the file and begins the matrix of header.size rows.
  static Result<Writer> create(const std::filesystem::path& path, const Header& header);
  /// Appends bytes of the rows, in order, in pieces of any size.
  Result<void> rows(Bytes bytes);
  /// Writes the head, the core header and the level of each node. Called after the last row.
  Result<void> graph(std::span<const std::int16_t> levels);
  /// Writes the next node. `base` is its list of level 0, [1 + connectivity_base], and `upper` has
  /// its `level` further lists, [level, 1 + connectivity]. Each list is a count and all places,
  /// used or not.
  Result<void> node(std::uint64_t key, std::int16_t level, std::span<const std::uint32_t> base,
                    std::span<const std::uint32_t> upper);
  Result<void> finish();

 private:
  Writer(OutputFile file, const Header& header) : file_(std::move(file)), header_(header) {}

  OutputFile file_;
  Header header_;
};

}  // namespace embd::usearch
