#pragma once

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/vectors/parquet/parquet_layout.h"

namespace embd::parquet {

/// Finds the footer of a whole file: where it begins, which is where the pages end. Errors, with
/// their offsets: file_too_short, bad_magic, section_out_of_bounds.
Result<std::uint64_t> find_footer(Bytes file);

/// The bytes of the footer that find_footer() has found at `begin`.
inline Bytes footer_bytes(Bytes file, std::uint64_t begin) {
  return file.subspan(begin, file.size() - tail_bytes - begin);
}

/// The footer's bytes, without its length and the magic.
std::vector<std::byte> format_footer(const Footer& footer);

/// `bytes`: the footer's, `offset` bytes into its file. Errors: those of CompactReader; bad_value,
/// bad_count, missing for what contradicts itself; unsupported, with the way out, for what Parquet
/// has and files of ours do not.
Result<Footer> parse_footer(Bytes bytes, std::uint64_t offset);

std::vector<std::byte> format_page_header(const PageHeader& header);

/// Reads the page header at the front of `bytes`; `size` is its length. Errors as parse_footer().
Result<PageHeader> parse_page_header(Bytes bytes, std::uint64_t offset, std::size_t& size);

/// The error for a feature of Parquet that `what` names.
Error foreign(std::string what);

}  // namespace embd::parquet
