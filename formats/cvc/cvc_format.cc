#include "formats/cvc/cvc_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "base/try.h"
#include "formats/cvc/cvc_json.h"
#include "formats/cvc/cvc_reader.h"
#include "formats/cvc/cvc_writer.h"

namespace embd::cvc {
namespace {

Result<std::size_t> select_column(const Header& header, const std::string& wanted) {
  const auto& columns = header.columns;
  if (columns.size() == 1 && wanted.empty()) return 0;
  std::vector<std::string_view> names;
  for (const Column& column : columns) names.push_back(column.name);
  if (wanted.empty()) {
    const auto is_vector = [](const Column& column) { return column.dim > 1; };
    if (std::ranges::count_if(columns, is_vector) != 1) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("which column? The file has {}", fmt::join(names, ", ")));
    }
    return std::ranges::find_if(columns, is_vector) - columns.begin();
  }
  if (!header.columnar) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("no column {:?}: the file is not columnar", wanted));
  }
  const auto found = std::ranges::find(names, wanted);
  if (found == names.end()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("no column {:?}; the file has {}", wanted, fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - names.begin());
}

/// True if a section's metadata has `key` with `text`, as a string or as what it is in JSON.
bool has_member(const std::string& metadata, const std::string& key, const std::string& text) {
  const auto object = parse_json(as_bytes(metadata), 0);
  if (!object || !object->contains(key)) return false;
  const Json& member = (*object)[key];
  if (member == text) return true;
  const auto value = parse_json(as_bytes(text), 0);
  return value && member == *value;
}

Result<std::vector<RowRange>> select_rows(const Header& header, const std::string& section) {
  if (section.empty()) return std::vector<RowRange>{{0, header.num_rows}};
  const std::size_t equals = section.find('=');
  if (equals == std::string::npos) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("section {:?}, expected KEY=VALUE", section));
  }
  std::vector<RowRange> ranges;
  for (const Section& s : header.sections)
    if (has_member(s.metadata, section.substr(0, equals), section.substr(equals + 1)))
      ranges.push_back({s.first_row, s.end_row});
  if (ranges.empty()) {
    return fail(ErrorCode::invalid_argument, fmt::format("none of the file's {} sections has {}",
                                                         header.sections.size(), section));
  }
  return ranges;
}

class SelectedRows final : public VectorReader {
 public:
  SelectedRows(Reader reader, std::size_t column, std::vector<RowRange> ranges, bool selected)
      : reader_(std::move(reader)),
        column_(column),
        ranges_(std::move(ranges)),
        selected_(selected) {
    const Column& schema = reader_.header().columns[column_];
    info_.format = "cvc";
    info_.dim = schema.dim;
    for (const RowRange& range : ranges_) info_.num_rows += range.end - range.first;
    info_.element_type = reader_.raw_type(column_).value_or(schema.type);
    info_.encoding = encoding_of(reader_.header(), column_);
  }

  const VectorSetInfo& info() const noexcept override { return info_; }

  Result<void> read(std::uint64_t first, std::uint64_t count, std::span<float> out) const override {
    if (count > out.size() / info_.dim || count * info_.dim != out.size()) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("room for {} values, expected {} rows of {}", out.size(), count, info_.dim));
    }
    return for_each_range(first, count, [&](RowRange range) -> Result<void> {
      const std::uint64_t rows = range.end - range.first;
      const std::uint64_t values = rows * info_.dim;
      EMBD_TRY(reader_.read(column_, range.first, rows, out.first(values)));
      out = out.subspan(values);
      return {};
    });
  }

  Result<bool> read_raw(std::uint64_t first, std::uint64_t count,
                        std::vector<std::byte>& out) const override {
    out.clear();
    if (!reader_.raw_type(column_)) return false;
    EMBD_TRY(for_each_range(first, count, [&](RowRange range) {
      return reader_.read_raw(column_, range.first, range.end - range.first, out);
    }));
    return true;
  }

  std::optional<RowSelection> selection() const override {
    if (!selected_) return std::nullopt;
    return RowSelection{.num_file_rows = reader_.header().num_rows, .ranges = ranges_};
  }
  Result<std::optional<Recipe>> recipe() const override { return reader_.header().recipe; }
  std::string describe() const override { return reader_.describe(); }
  Result<void> verify() const override { return reader_.verify(); }

 private:
  static std::string encoding_of(const Header& header, std::size_t column) {
    std::optional<Encoding> encoding;
    for (std::size_t i = 0; i < header.chunks.size(); ++i) {
      const Encoding found = header.slice(i, column).encoding;
      if (encoding.value_or(found) != found) return "mixed";
      encoding = found;
    }
    return std::string(encoding_name(encoding.value_or(header.columns[column].encoding)));
  }

  /// Calls `use` with the file's rows behind [first, first + count) of the selection.
  Result<void> for_each_range(std::uint64_t first, std::uint64_t count, auto use) const {
    if (first > info_.num_rows || count > info_.num_rows - first) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} rows from {} of {}", count, first, info_.num_rows));
    }
    for (const RowRange& range : ranges_) {
      if (count == 0) break;
      const std::uint64_t rows = range.end - range.first;
      if (first < rows) {
        const std::uint64_t some = std::min(count, rows - first);
        EMBD_TRY(use(RowRange{range.first + first, range.first + first + some}));
        count -= some;
        first = 0;
      } else {
        first -= rows;
      }
    }
    return {};
  }

  Reader reader_;
  std::size_t column_;
  std::vector<RowRange> ranges_;
  bool selected_;  // by a section
  VectorSetInfo info_;
};

bool has_magic(const std::filesystem::path&, Bytes head) {
  return as_text(head).starts_with(magic);
}

Result<std::unique_ptr<VectorReader>> open(const std::filesystem::path& path,
                                           const ReadOptions& options) {
  Reader reader = EMBD_TRY(Reader::open(path));
  const auto column = select_column(reader.header(), options.column);
  if (!column) return std::unexpected(Error(column.error()).in_file(path.native()));
  auto ranges = select_rows(reader.header(), options.section);
  if (!ranges) return std::unexpected(std::move(ranges).error().in_file(path.native()));
  return std::make_unique<SelectedRows>(std::move(reader), *column, std::move(*ranges),
                                        !options.section.empty());
}

/// Rows alone are one float32 column: version 1, or a columnar file where they are stored as they
/// are. The ids have no place in the file.
class RowWriter final : public VectorWriter {
 public:
  RowWriter(Writer writer, std::size_t num_columns)
      : writer_(std::move(writer)), values_(num_columns) {}

  Result<void> begin_section(std::string_view metadata) override {
    return writer_.begin_section(metadata);
  }
  Result<void> set_columns(std::span<const Bytes> columns) override {
    if (columns.size() != values_.size() - 1) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} columns, expected {}", columns.size(), values_.size() - 1));
    }
    std::ranges::copy(columns, values_.begin() + 1);
    return {};
  }
  Result<void> append(MatrixView rows, const Ids&) override {
    if (values_.size() == 1) return writer_.append(rows);
    values_[0] = std::as_bytes(rows.values());
    EMBD_TRY(writer_.append(rows.rows(), values_));
    std::ranges::fill(values_, Bytes());
    return {};
  }
  Result<void> finish() override { return writer_.finish(); }

 private:
  Writer writer_;
  std::vector<Bytes> values_;  // of the columns, that of the vectors first
};

/// Halves are stored as they are under either name; the reference package reads them only as fp16.
Encoding number_encoding(ElementType type) {
  return type == ElementType::f16 ? Encoding::fp16 : Encoding::none;
}

Result<std::unique_ptr<VectorWriter>> create(const std::filesystem::path& path, std::uint64_t dim,
                                             const WriteOptions& options) {
  const std::string name = options.cvc_compression.empty() ? "fp16" : options.cvc_compression;
  const auto encoding = encoding_named(name);
  if (!encoding) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("CVC compression {:?}, expected none, fp16, int8 or lossless", name));
  }
  const WriterOptions own = {.chunk_rows = options.chunk_rows,
                             .num_rows = options.num_rows,
                             .mmap_optimized = options.cvc_mmap,
                             .recipe = options.recipe};
  if (*encoding != Encoding::none && options.columns.empty())
    return std::make_unique<RowWriter>(EMBD_TRY(Writer::create(path, dim, *encoding, own)), 1);
  std::vector<Column> columns = {{std::string(embedding_column), dim, ElementType::f32, *encoding}};
  for (const auto& [column, type] : options.columns)
    columns.push_back({column, 1, type, number_encoding(type)});
  const std::size_t num_columns = columns.size();
  return std::make_unique<RowWriter>(
      EMBD_TRY(Writer::create_columnar(path, std::move(columns), own)), num_columns);
}

constexpr std::array<std::string_view, 1> extensions = {".cvc"};

}  // namespace

const Format format = {
    .name = "cvc",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open,
    .create = create,
    .room = always<Room{.recipe = true}>,
};

}  // namespace embd::cvc
