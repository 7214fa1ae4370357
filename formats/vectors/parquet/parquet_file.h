#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/os/mapped_file.h"
#include "embd/error.h"
#include "formats/vectors/parquet/metadata.h"
#include "formats/vectors/parquet/pages.h"

namespace embd::parquet {

/// The values of a page or of a dictionary, none of which is missing.
struct PageContent {
  Bytes numbers;    ///< Numbers, little-endian and without gaps, if the column has no strings.
  Strings strings;  ///< Strings in UTF-8, if it has some.
  std::vector<std::byte> decompressed;              ///< What numbers or strings may refer to.
  std::vector<std::byte> decoded;                   ///< Likewise.
  std::shared_ptr<const PageContent> dictionary{};  ///< Likewise.
};

/// The bytes of a file with its pages, and what its footer says about them. The memory belongs to
/// somebody else.
struct PagesOfFile {
  Bytes bytes;  ///< The file up to its footer.
  const FileMetadata& metadata;
};

/// Reads the values of a leaf. All rows of the column have equally many values. Any number of
/// threads may read at once.
class ColumnReader {
 public:
  /// Finds the pages of leaf `leaf` and checks all counts against `values_a_row`, the number of
  /// values per row. The memory of `file` must outlive the reader. Fails with bad_count,
  /// section_out_of_bounds, or unsupported for a codec or an encoding that embd does not read.
  static Result<std::unique_ptr<ColumnReader>> open(const PagesOfFile& file, std::size_t leaf,
                                                    std::uint64_t values_a_row);
  ColumnReader(const ColumnReader&) = delete;
  ColumnReader& operator=(const ColumnReader&) = delete;

  const Leaf& leaf() const noexcept { return leaf_; }
  std::uint64_t values_a_row() const noexcept { return values_a_row_; }
  std::size_t num_pages() const noexcept { return pages_.size(); }
  /// Returns the number of bytes of a number.
  std::size_t value_bytes() const noexcept;

  /// The content of a page. Its first value is value number `first` of the column.
  struct PageValues {
    std::shared_ptr<const PageContent> content;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };
  /// Returns the page that has value number `value`, which must exist. Fails with bad_count if a
  /// row has more or fewer values, with missing if a value is null, with checksum_mismatch, and
  /// with other errors of damaged pages.
  Result<PageValues> page_with(std::uint64_t value) const;

  /// Reads values [first, first + count), which may be in several pages. For each page, calls
  /// `use(content, first, count, at)`: the part is the values [first, first + count) of the page's
  /// content, and its first value is value number `at` of the column. Fails as page_with() does.
  template <class Use>
  Result<void> read(std::uint64_t first, std::uint64_t count, Use&& use) const {
    while (count > 0) {
      auto page = page_with(first);
      if (!page) return std::unexpected(std::move(page).error());
      const std::uint64_t skipped = first - page->first;
      const std::uint64_t part = std::min(count, page->count - skipped);
      use(*page->content, skipped, part, first);
      first += part;
      count -= part;
    }
    return {};
  }

  /// Reads all pages and compares all their checksums.
  Result<void> verify() const;

 private:
  struct Page {
    std::uint64_t first_value = 0;
    std::uint64_t offset = 0;  ///< Where the page begins after its header.
    Codec codec = Codec::uncompressed;
    PageHeader header;
    /// The number of its dictionary in dictionaries_, counted from 1; 0 if it has none.
    std::size_t dictionary = 0;
  };
  /// The levels and values of a page, decompressed.
  struct Parts {
    std::vector<std::byte> decompressed;
    Bytes repetition;
    Bytes definition;
    Bytes values;
  };
  using Content = std::shared_ptr<const PageContent>;
  /// The page that was read last. It is kept, because rows are read in order and a page has many.
  struct Kept {
    std::size_t place = SIZE_MAX;
    Content content;
  };

  ColumnReader(const PagesOfFile& file, const Leaf& leaf, std::uint64_t values_a_row)
      : file_(file.bytes),
        leaf_(leaf),
        values_a_row_(values_a_row),
        is_own_(file.metadata.is_own()) {}

  Result<void> find_pages(const ColumnChunk& chunk, std::uint64_t num_rows);
  Result<void> check_chunk(const ColumnChunk& chunk, std::uint64_t num_rows) const;
  Result<Page> read_header(std::uint64_t offset, std::uint64_t end) const;
  Result<void> check_page(const Page& page, std::uint64_t room) const;
  Result<void> check_coding(const Page& page) const;
  bool is_mapped(const Page& page) const noexcept;
  Result<void> check_checksum(const Page& page) const;
  Result<Content> content_of(std::size_t place) const;
  Result<Content> dictionary_of(std::size_t place) const;
  Result<PageContent> decode(const Page& page) const;
  Result<Parts> parts_of(const Page& page) const;
  Result<void> split(const Page& page, Parts& parts) const;
  Result<void> check_levels(const Page& page, const Parts& parts) const;
  Result<void> check_definition(const Page& page, Bytes levels) const;
  Result<void> check_repetition(const Page& page, Bytes levels) const;
  Result<PageContent> decode_values(const Page& page, Parts parts) const;
  Result<void> decode_numbers(const Page& page, Bytes values, PageContent& content) const;
  Result<void> decode_strings(const Page& page, Bytes values, PageContent& content) const;
  Result<void> decode_references(const Page& page, Bytes values, PageContent& content) const;
  std::unexpected<Error> bad(const Page& page, ErrorCode code, const std::string& what) const;
  template <class T>
  Result<T> at(const Page& page, Result<T> result) const;
  std::unexpected<Error> refuse(const Page& page, const std::string& what) const;
  Error of_sound_file(const Page& page, Error error) const;
  std::unexpected<Error> bad_row(const Page& page, std::uint64_t value, ErrorCode code,
                                 std::string_view what) const;

  const Bytes file_;
  const Leaf leaf_;
  const std::uint64_t values_a_row_;
  const bool is_own_;
  std::uint64_t num_values_ = 0;
  std::vector<Page> pages_;
  std::vector<Page> dictionaries_;
  mutable std::mutex mutex_;
  mutable Kept page_;
  mutable Kept dictionary_;
};

/// A mapped Parquet file with any columns. Columns that it opens use its memory and must not
/// outlive it. Any number of threads may use it at once.
class ParquetFile {
 public:
  /// Maps a file and reads its footer. Fails with not_found or io_failed, with file_too_short,
  /// bad_magic or section_out_of_bounds, and with the errors of parse_footer(). The error names the
  /// file.
  static Result<ParquetFile> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const noexcept { return file_.path(); }
  Bytes bytes() const noexcept { return file_.bytes(); }
  const FileMetadata& metadata() const noexcept { return metadata_; }

  /// Opens a column of texts or numbers with one value in each row. Fails with missing if there is
  /// no such column, with duplicate if there are several, with bad_type if it has lists, structs or
  /// values of another type, and with the errors of ColumnReader::open(). The error names the file.
  Result<std::unique_ptr<ColumnReader>> open_column(std::string_view name) const;
  /// Opens a column of ids: whole numbers, texts or UUIDs. Fails as open_column() does, with
  /// bad_type for values of other types, too.
  Result<std::unique_ptr<ColumnReader>> open_ids(std::string_view name) const;
  /// Opens a leaf whose rows have `values_a_row` values each. Fails with the errors of
  /// ColumnReader::open().
  Result<std::unique_ptr<ColumnReader>> open_leaf(std::size_t leaf,
                                                  std::uint64_t values_a_row) const;

 private:
  ParquetFile(MappedFile file, std::uint64_t data_end, FileMetadata metadata)
      : file_(std::move(file)), data_end_(data_end), metadata_(std::move(metadata)) {}

  Result<std::size_t> leaf_of(std::string_view name) const;

  MappedFile file_;
  std::uint64_t data_end_;  // where the pages end and the footer begins
  FileMetadata metadata_;
};

/// Opens the vectors of a file (Format::open).
Result<std::unique_ptr<VectorReader>> open_parquet(const std::filesystem::path& path,
                                                   const ReadOptions& options);

}  // namespace embd::parquet
