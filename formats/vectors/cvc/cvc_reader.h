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

/// A mapped CVC file of any version. open() checks the header, the place and size of every chunk,
/// and the structure of lossless payloads. The CRC-32 of a chunk is checked when a row of it is
/// read for the first time. Any number of threads may read at once.
class Reader {
 public:
  /// Opens a file. Fails with not_found, io_failed or out_of_memory. If the file is malformed, the
  /// error has the offset of the fault.
  static Result<Reader> open(const std::filesystem::path& path);

  const Header& header() const noexcept { return header_; }
  const std::filesystem::path& path() const noexcept { return file_.path(); }

  /// Reads rows [first, first + count) of a column as float32 to `out`, [count, dim]. Reads only
  /// the chunks that hold these rows.
  Result<void> read(std::size_t column, std::uint64_t first, std::uint64_t count,
                    std::span<float> out) const;
  /// Returns the type in which read_raw() returns the values of a column. Returns nullopt if they
  /// are quantized, or not stored alike in all chunks.
  std::optional<ElementType> raw_type(std::size_t column) const noexcept;
  /// Appends rows [first, first + count) as they are stored to `out`: [count, dim] values of
  /// raw_type().
  Result<void> read_raw(std::size_t column, std::uint64_t first, std::uint64_t count,
                        std::vector<std::byte>& out) const;

  /// Checks the CRC-32 of every chunk and every index of lossless payloads.
  Result<void> verify() const;
  /// Returns the JSON of the header, together with the place of each chunk in the file and the
  /// numbers before the JSON.
  std::string describe() const;

 private:
  /// The place of a chunk's payload in the file, and its checksum.
  struct Extent {
    std::uint64_t offset = 0;  ///< Where the payload begins.
    std::uint32_t size = 0;    ///< The size of the payload.
    std::uint32_t crc = 0;
  };
  /// A run of rows of one chunk.
  struct Piece {
    std::size_t chunk;
    std::uint64_t first;  ///< The number of the first row, counted within the chunk.
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
  std::vector<Extent> extents_;  // One per chunk.
  // One per chunk: true if its CRC was found right.
  std::unique_ptr<std::atomic<bool>[]> verified_;
  std::uint64_t data_end_ = 0;
};

}  // namespace embd::cvc
