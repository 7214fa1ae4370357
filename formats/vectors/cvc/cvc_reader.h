#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/os/mapped_file.h"
#include "embd/error.h"
#include "formats/vectors/cvc/cvc_header.h"

namespace embd::cvc {

/// A CVC file of any version, mapped. open() checks the header, every chunk's place and size and
/// the shape of lossless payloads; a chunk's CRC-32 is checked when its first row is read.
/// Any number of threads may read at once.
class Reader {
 public:
  /// Errors: not_found, io_failed, out_of_memory and what is wrong with the file, with its offset.
  static Result<Reader> open(const std::filesystem::path& path);

  const Header& header() const noexcept { return header_; }
  const std::filesystem::path& path() const noexcept { return file_.path(); }

  /// Rows [first, first + count) of a column as float32 into `out`, [count, dim]. Touches only the
  /// chunks that hold them.
  Result<void> read(std::size_t column, std::uint64_t first, std::uint64_t count,
                    std::span<float> out) const;
  /// The type in which read_raw() gives a column: nullopt where its values are coded, or not in
  /// every chunk alike.
  std::optional<ElementType> raw_type(std::size_t column) const noexcept;
  /// Rows [first, first + count) as they are stored, [count, dim] of raw_type(), appended to `out`.
  Result<void> read_raw(std::size_t column, std::uint64_t first, std::uint64_t count,
                        std::vector<std::byte>& out) const;

  /// Checks every chunk's CRC-32 and every lossless index.
  Result<void> verify() const;
  /// The header's JSON with each chunk's place in the file, and the file's own figures.
  std::string describe() const;

 private:
  /// Where a chunk lies.
  struct Extent {
    std::uint64_t offset = 0;  ///< of the payload
    std::uint32_t size = 0;    ///< of the payload
    std::uint32_t crc = 0;
  };
  /// Some rows of one chunk.
  struct Piece {
    std::size_t chunk;
    std::uint64_t first;  ///< in the chunk
    std::uint64_t count;
  };

  explicit Reader(MappedFile file) : file_(std::move(file)) {}
  Result<void> parse();
  Result<void> locate_chunks();
  Result<void> refuse_overlaps() const;
  Result<void> check_slices(std::size_t chunk);
  Result<void> check_slice(std::size_t chunk, std::size_t column) const;
  Result<void> check_rows(std::size_t column, std::uint64_t first, std::uint64_t count) const;
  Result<void> check_crc(std::size_t chunk) const;
  Piece piece_at(std::uint64_t first, std::uint64_t count) const;
  Bytes payload(std::size_t chunk) const;
  Bytes stored(std::size_t chunk, std::size_t column) const;
  Result<void> decode(const Piece& piece, std::size_t column, std::span<float> out) const;
  Error in_chunk(const Error& error, std::size_t chunk) const;

  MappedFile file_;
  Header header_;
  std::vector<Extent> extents_;                    // one a chunk
  std::unique_ptr<std::atomic<bool>[]> verified_;  // one a chunk: its CRC was right
  std::uint64_t data_end_ = 0;
};

}  // namespace embd::cvc
