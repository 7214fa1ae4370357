#include "formats/vectors/parquet/parquet_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/byte_reader.h"
#include "base/quoted_names.h"
#include "base/try.h"

namespace embd::parquet {
namespace {

/// Returns where the footer of a file begins.
Result<std::uint64_t> find_footer(Bytes file) {
  const auto bad = [](std::uint64_t offset, ErrorCode code, std::string what) {
    return std::unexpected(Error(code, std::move(what)).at_offset(offset));
  };
  if (file.size() < magic.size() + tail_bytes)
    return bad(0, ErrorCode::file_too_short,
               fmt::format("the file has {} bytes, too few for a Parquet file", file.size()));
  if (as_text(file.first(magic.size())) != magic)
    return bad(0, ErrorCode::bad_magic, "the file does not begin with PAR1");
  const std::uint64_t tail = file.size() - tail_bytes;
  if (as_text(file.subspan(tail + 4)) != magic)
    return bad(tail + 4, ErrorCode::bad_magic, "the file does not end with PAR1");
  const std::uint64_t size = load<std::uint32_t>(file.subspan(tail));
  if (size > tail - magic.size())
    return bad(
        tail, ErrorCode::section_out_of_bounds,
        fmt::format("the footer takes {} bytes, but the file has only {}", size, file.size()));
  return tail - size;
}

std::vector<std::string> names_of(const std::vector<Leaf>& leaves) {
  std::vector<std::string> names;
  for (const Leaf& leaf : leaves)
    if (names.empty() || names.back() != leaf.column) names.push_back(leaf.column);
  return names;
}

/// Returns true if the column is read: it has a text or a number in each row.
bool is_readable(const Leaf& leaf) noexcept {
  const bool is_float = leaf.kind == ValueKind::float16 || leaf.kind == ValueKind::float32 ||
                        leaf.kind == ValueKind::float64;
  return leaf.has_single_values() && (leaf.has_strings() || leaf.has_whole_numbers() || is_float);
}

}  // namespace

Result<ParquetFile> ParquetFile::open(const std::filesystem::path& path) {
  MappedFile file = EMBD_TRY(MappedFile::open(path));
  const Bytes bytes = file.bytes();
  const std::uint64_t data_end = EMBD_TRY(in_file(path, find_footer(bytes)));
  const Bytes footer = bytes.subspan(data_end, bytes.size() - tail_bytes - data_end);
  FileMetadata metadata = EMBD_TRY(in_file(path, parse_footer(footer, data_end)));
  return ParquetFile(std::move(file), data_end, std::move(metadata));
}

Result<std::size_t> ParquetFile::leaf_of(std::string_view name) const {
  const auto& leaves = metadata_.leaves;
  const auto found = std::ranges::find(leaves, name, &Leaf::column);
  if (found == leaves.end())
    return fail(ErrorCode::missing, fmt::format("no column is named {:?}, expected one of {}", name,
                                                quoted_names(names_of(leaves))));
  const auto num_leaves = std::ranges::count(leaves, name, &Leaf::column);
  if (static_cast<std::size_t>(num_leaves) > found->leaves)
    return fail(
        ErrorCode::duplicate,
        fmt::format("two columns are named {:?}, expected a different name for each column", name));
  if (!is_readable(*found))
    return fail(ErrorCode::bad_type,
                fmt::format("column {:?} does not hold one text or one number in each row, "
                            "expected such a column: its type is {}",
                            name, found->type_name()));
  return static_cast<std::size_t>(found - leaves.begin());
}

Result<std::unique_ptr<ColumnReader>> ParquetFile::open_column(std::string_view name) const {
  const auto open = [&]() -> Result<std::unique_ptr<ColumnReader>> {
    return open_leaf(EMBD_TRY(leaf_of(name)), 1);
  };
  return in_file(path(), open());
}

Result<std::unique_ptr<ColumnReader>> ParquetFile::open_ids(std::string_view name) const {
  const auto found = std::ranges::find(metadata_.leaves, name, &Leaf::column);
  if (found == metadata_.leaves.end() ||
      (found->has_single_values() && (found->has_strings() || found->has_whole_numbers())))
    return open_column(name);
  return fail_in(path(), ErrorCode::bad_type,
                 fmt::format("column {:?} has values of the type {}, expected ids: whole numbers, "
                             "texts or UUIDs",
                             name, found->type_name()));
}

Result<std::unique_ptr<ColumnReader>> ParquetFile::open_leaf(std::size_t leaf,
                                                             std::uint64_t values_a_row) const {
  return ColumnReader::open({.bytes = bytes().first(data_end_), .metadata = metadata_}, leaf,
                            values_a_row);
}

}  // namespace embd::parquet
