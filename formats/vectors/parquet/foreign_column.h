#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/vectors/parquet/foreign_footer.h"
#include "formats/vectors/parquet/page_header.h"

namespace embd::parquet {

/// The values of a page. No value is missing.
struct PageContent {
  std::vector<std::byte> numbers;    ///< Numbers, little-endian, if the column has numbers.
  std::vector<std::string> strings;  ///< Strings in UTF-8, if the column has byte arrays.
};

/// Reads the values of a column in a file that another program wrote. All rows of the column have
/// equally many values. Any number of threads may read at once.
class ForeignColumnReader {
 public:
  /// Finds the pages of leaf `leaf` and checks all counts against `values_a_row`, the number of
  /// values per row. `file` is the whole file, whose first `data_end` bytes hold the pages; its
  /// bytes must outlive the reader. Fails with bad_count, section_out_of_bounds, or unsupported for
  /// a codec or an encoding that embd does not read.
  static Result<std::unique_ptr<ForeignColumnReader>> open(Bytes file, std::uint64_t data_end,
                                                           const ForeignFooter& footer,
                                                           std::size_t leaf,
                                                           std::uint64_t values_a_row);
  ForeignColumnReader(const ForeignColumnReader&) = delete;
  ForeignColumnReader& operator=(const ForeignColumnReader&) = delete;

  const ForeignColumn& column() const noexcept { return column_; }
  std::size_t num_pages() const noexcept { return pages_.size(); }
  /// Returns the number of bytes of a number; 0 for a column of byte arrays.
  std::size_t value_bytes() const noexcept;

  /// Reads values [first, first + count), which may be in several pages. For each page, calls
  /// `use(content, first, count, at)`: the part is the values [first, first + count) of the page's
  /// content, and its first value is value number `at` of the column. Fails with bad_count if a row
  /// has more or fewer values, with missing if a value is null, and with the errors of damaged
  /// pages.
  template <class Use>
  Result<void> read(std::uint64_t first, std::uint64_t count, Use&& use) const {
    for (std::size_t place = page_of(first); count > 0; ++place) {
      auto content = content_of(place);
      if (!content) return std::unexpected(std::move(content).error());
      const std::uint64_t skipped = first - pages_[place].first_value;
      const std::uint64_t part = std::min(count, pages_[place].header.num_values - skipped);
      use(**content, skipped, part, first);
      first += part;
      count -= part;
    }
    return {};
  }

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
    std::vector<std::byte> owned;
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

  ForeignColumnReader(Bytes file, const ForeignColumn& column, std::uint64_t values_a_row)
      : file_(file), column_(column), values_a_row_(values_a_row) {}

  Result<void> find_pages(const ColumnChunk& chunk, std::uint64_t num_rows);
  Result<void> check_page(const Page& page, std::uint64_t room) const;
  std::size_t page_of(std::uint64_t value) const;
  Result<Content> content_of(std::size_t place) const;
  Result<Content> dictionary_of(std::size_t place) const;
  Result<PageContent> decode(const Page& page) const;
  Result<Parts> parts_of(const Page& page) const;
  Result<void> check_levels(const Page& page, const Parts& parts) const;
  Result<PageContent> plain(const Page& page, Bytes values) const;
  Result<PageContent> from_dictionary(const Page& page, Bytes values) const;
  std::unexpected<Error> bad(const Page& page, ErrorCode code, std::string what) const;
  /// Returns the error for a feature that embd does not read; `what` names it.
  std::unexpected<Error> refuse(const Page& page, const std::string& what) const;

  const Bytes file_;
  const ForeignColumn column_;
  const std::uint64_t values_a_row_;
  std::uint64_t num_values_ = 0;
  std::vector<Page> pages_;
  std::vector<Page> dictionaries_;
  mutable std::mutex mutex_;
  mutable Kept page_;
  mutable Kept dictionary_;
};

}  // namespace embd::parquet
