#pragma once

#include <filesystem>
#include <span>

#include "base/output_file.h"
#include "formats/vectors/usearch/usearch_layout.h"

namespace embd::usearch {

/// Writes a dense index in the order of the file: rows, then graph, then nodes; the bytes are those
/// USearch writes for the same content. The header is trusted.
class Writer {
 public:
  /// Begins the matrix of header.size rows.
  static Result<Writer> create(const std::filesystem::path& path, const Header& header);
  /// Bytes of the rows, in order, in pieces of any size.
  Result<void> rows(Bytes bytes);
  /// Head, core header and the level of each node. After the last row.
  Result<void> graph(std::span<const std::int16_t> levels);
  /// The next node. `base` and each of the `level` lists of `upper` are a count and all places of
  /// the list, used or not: [1 + connectivity_base] and [level, 1 + connectivity].
  Result<void> node(std::uint64_t key, std::int16_t level, std::span<const std::uint32_t> base,
                    std::span<const std::uint32_t> upper);
  Result<void> finish();

 private:
  Writer(OutputFile file, const Header& header) : file_(std::move(file)), header_(header) {}

  OutputFile file_;
  Header header_;
};

}  // namespace embd::usearch
