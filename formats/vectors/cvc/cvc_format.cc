#include "formats/vectors/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "base/try.h"
#include "formats/vectors/cvc/cvc_json.h"
#include "formats/vectors/cvc/cvc_reader.h"
#include "formats/vectors/cvc/cvc_writer.h"
#include "formats/vectors/format.h"

namespace embd::cvc {
namespace {

Result<std::size_t> select_column(const Header& header, const ReadOptions& options) {
  const auto& columns = header.columns;
  const std::string& wanted = options.column;
  if (columns.size() == 1 && wanted.empty()) return 0;
  if (options.any_column && wanted.empty())
    return std::ranges::max_element(columns, {}, &Column::dim) - columns.begin();
  std::vector<std::string_view> names;
  for (const Column& column : columns) names.push_back(column.name);
  if (wanted.empty()) {
    const auto is_vector = [](const Column& column) { return column.dim > 1; };
    if (std::ranges::count_if(columns, is_vector) != 1) {
      return fail(ErrorCode::invalid_argument,
                  "several columns of the file could be the vectors: name one of {}",
                  fmt::join(names, ", "));
    }
    return std::ranges::find_if(columns, is_vector) - columns.begin();
  }
  if (!header.columnar) {
    return fail(ErrorCode::invalid_argument,
                "no column is named {:?}, because the file is not columnar: name no column",
                wanted);
  }
  const auto found = std::ranges::find(names, wanted);
  if (found == names.end()) {
    return fail(ErrorCode::invalid_argument, "no column is named {:?}, expected one of {}", wanted,
                fmt::join(names, ", "));
  }
  return static_cast<std::size_t>(found - names.begin());
}

/// Returns true if the metadata of a section has the member `key` with the value `text`, as a
/// string or read as JSON.
bool has_member(const std::string& metadata, const std::string& key, const std::string& text) {
  const auto object = parse_json(as_bytes(metadata), 0);
  if (!object || !object->contains(key)) return false;
  const Json& member = (*object)[key];
  if (member == text) return true;
  const auto value = parse_json(as_bytes(text), 0);
  return value && member == *value;
}

/// Returns the sections whose metadata has the member that "key=value" names; all sections for an
/// empty text.
Result<std::vector<Section>> select_sections(const Header& header, const std::string& text) {
  if (text.empty()) return header.sections;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return fail(ErrorCode::invalid_argument, "the section is {:?}, expected KEY=VALUE", text);
  }
  std::vector<Section> sections;
  for (const Section& s : header.sections)
    if (has_member(s.metadata, text.substr(0, equals), text.substr(equals + 1)))
      sections.push_back(s);
  if (sections.empty()) {
    return fail(ErrorCode::invalid_argument, "none of the file's {} sections has the metadata {}",
                header.sections.size(), text);
  }
  return sections;
}

class SelectedRows final : public VectorReader,
                           private PlainRowSource,
                           private TableSource,
                           private RowSectionSource {
 public:
  /// Takes one column of a file as the rows. `alone` says that the column was named, so that other
  /// columns are left out. `selected` says that only the rows of some sections are read.
  SelectedRows(Reader reader, std::size_t column, bool alone, const std::vector<Section>& sections,
               bool selected)
      : reader_(std::move(reader)), column_(column), alone_(alone), selected_(selected) {
    std::uint64_t moved = 0;  // How many file rows before the selected ones are left out.
    std::uint64_t end = 0;
    for (const Section& s : sections) {
      if (selected_) {
        ranges_.push_back({s.first_row, s.end_row});
        moved += s.first_row - end;
        end = s.end_row;
      }
      sections_.push_back({{s.first_row - moved, s.end_row - moved}, s.metadata});
    }
    if (!selected_) ranges_.push_back({0, reader_.header().num_rows});
    const Column& schema = reader_.header().columns[column_];
    info_.column = schema.name;
    info_.format = "cvc";
    info_.dim = schema.dim;
    for (const RowRange& range : ranges_) info_.num_rows += range.end - range.first;
    info_.element_type = reader_.raw_type(column_).value_or(schema.type);
    info_.encoding = encoding_of(reader_.header(), column_);
  }

  const VectorSetInfo& info() const noexcept override { return info_; }

  Result<std::optional<Recipe>> recipe() const override { return reader_.header().recipe; }
  std::string describe() const override { return reader_.describe(); }
  Result<void> verify() const override { return reader_.verify(); }
  const PlainRowSource* plain_rows() const noexcept override {
    return reader_.raw_type(column_) ? this : nullptr;
  }
  const TableSource* table() const noexcept override { return this; }
  const RowSectionSource* row_sections() const noexcept override { return this; }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    return for_each_range(first, count, [&](RowRange range) -> Result<void> {
      const std::uint64_t rows = range.end - range.first;
      const std::uint64_t values = rows * info_.dim;
      EMBD_TRY(reader_.read(column_, range.first, rows, out.first(values)));
      out = out.subspan(values);
      return {};
    });
  }

  std::optional<MatrixView> view() const noexcept override { return std::nullopt; }
  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    out.clear();
    return for_each_range(first, count, [&](RowRange range) {
      return reader_.read_raw(column_, range.first, range.end - range.first, out);
    });
  }

  std::optional<RowSelection> selection() const override {
    if (!selected_) return std::nullopt;
    return RowSelection{.num_file_rows = reader_.header().num_rows, .ranges = ranges_};
  }
  std::vector<RowSection> sections() const override { return sections_; }
  std::vector<RowSection> chunks() const override {
    const std::vector<Chunk>& all = reader_.header().chunks;
    if (std::ranges::all_of(all, &std::string::empty, &Chunk::metadata)) return {};
    std::vector<RowSection> chunks;
    std::uint64_t row = 0;  // The number of the first row in `range`, as the reader counts.
    for (const RowRange& range : ranges_) {
      for (const Chunk& chunk : all) {
        const std::uint64_t first = std::max(range.first, chunk.first_row);
        const std::uint64_t end = std::min(range.end, chunk.first_row + chunk.rows);
        if (first >= end) continue;
        chunks.push_back({{row + first - range.first, row + end - range.first}, chunk.metadata});
      }
      row += range.end - range.first;
    }
    return chunks;
  }
  std::vector<NumberColumn> columns() const override {
    std::vector<NumberColumn> columns;
    for (std::size_t c = 0; c < reader_.header().columns.size() && !alone_; ++c)
      if (c != column_) columns.push_back(number_column(c));
    return columns;
  }
  Result<void> read_column(std::string_view name, std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    const auto& all = reader_.header().columns;
    const auto found = std::ranges::find(all, name, &Column::name);
    if (found == all.end())
      return fail(ErrorCode::invalid_argument, "no column is named {:?}", name);
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    const auto column = static_cast<std::size_t>(found - all.begin());
    const bool is_raw = reader_.raw_type(column) == found->type;
    out.clear();
    return for_each_range(first, count, [&](RowRange range) -> Result<void> {
      const std::uint64_t rows = range.end - range.first;
      if (is_raw) return reader_.read_raw(column, range.first, rows, out);
      std::vector<float> values(rows * found->dim);
      EMBD_TRY(reader_.read(column, range.first, rows, values));
      std::ranges::copy(std::as_bytes(std::span(values)), std::back_inserter(out));
      return {};
    });
  }

  static std::string encoding_of(const Header& header, std::size_t column) {
    std::optional<Encoding> encoding;
    for (std::size_t i = 0; i < header.chunks.size(); ++i) {
      const Encoding found = header.slice(i, column).encoding;
      if (encoding.value_or(found) != found) return "mixed";
      encoding = found;
    }
    return std::string(name_of(encoding.value_or(header.columns[column].encoding), encoding_names));
  }

  /// Returns the column in the type that read_column() returns: decoded, unless it is stored in its
  /// own type. Chunks with different encodings together become plain values.
  NumberColumn number_column(std::size_t column) const {
    const Column& schema = reader_.header().columns[column];
    const bool is_raw = reader_.raw_type(column) == schema.type;
    const std::string encoding = encoding_of(reader_.header(), column);
    return {
        .name = schema.name,
        .type = is_raw ? schema.type : ElementType::f32,
        .dim = schema.dim,
        .cvc_compression =
            value_named(encoding, cvc_compression_names).value_or(CvcOptions::Compression::none)};
  }

  /// Calls `use` with the rows of the file that are rows [first, first + count) of the selection.
  /// These must exist.
  Result<void> for_each_range(std::uint64_t first, std::uint64_t count, auto use) const {
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
  bool alone_;
  bool selected_;  // True if a section was named.
  std::vector<RowRange> ranges_;
  std::vector<RowSection> sections_;
  VectorSetInfo info_;
};

bool has_magic(const std::filesystem::path&, Bytes head) {
  return as_text(head).starts_with(magic);
}

Result<std::unique_ptr<VectorReader>> open(const std::filesystem::path& path,
                                           const ReadOptions& options) {
  Reader reader = EMBD_TRY(Reader::open(path));
  const std::size_t column = EMBD_TRY(in_file(path, select_column(reader.header(), options)));
  const auto sections = EMBD_TRY(in_file(path, select_sections(reader.header(), options.section)));
  return std::make_unique<SelectedRows>(std::move(reader), column, !options.column.empty(),
                                        sections, !options.section.empty());
}

/// Writes rows. Without further columns, the file has one float32 column: version 1, or a columnar
/// file if rows are stored without compression. The file has no place for ids.
class RowWriter final : public VectorWriter, private TableSink, private RowSectionSink {
 public:
  RowWriter(Writer writer, std::uint64_t dim, Encoding encoding, std::size_t num_columns)
      : VectorWriter(dim, kept_in(encoding)), writer_(std::move(writer)), values_(num_columns) {}

  TableSink* table() noexcept override { return this; }
  RowSectionSink* row_sections() noexcept override { return this; }

 private:
  static KeptValues kept_in(Encoding encoding) {
    if (encoding == Encoding::fp16) return KeptValues::halves;
    return encoding == Encoding::int8 ? KeptValues::codes : KeptValues::any;
  }
  Result<void> begin_section(std::string_view metadata) override {
    return writer_.begin_section(metadata);
  }
  Result<void> begin_chunk(std::string_view metadata) override {
    return writer_.begin_chunk(metadata);
  }
  Result<void> set_columns(std::span<const Bytes> columns) override {
    if (columns.size() != values_.size() - 1) {
      return fail(ErrorCode::invalid_argument,
                  "values of {} columns were given, expected values of {}", columns.size(),
                  values_.size() - 1);
    }
    std::ranges::copy(columns, values_.begin() + 1);
    return {};
  }
  Result<void> append_rows(MatrixView rows, const Ids&) override {
    if (values_.size() == 1) return writer_.append(rows);
    values_[0] = std::as_bytes(rows.values());
    EMBD_TRY(writer_.append(rows.rows(), values_));
    std::ranges::fill(values_, Bytes());
    return {};
  }
  Result<void> finish_file() override { return writer_.finish(); }

  Writer writer_;
  std::vector<Bytes> values_;  // The values of the columns, the vectors first.
};

/// Returns the encoding of a compression; nullopt for automatic.
std::optional<Encoding> encoding_for(CvcOptions::Compression compression) {
  switch (compression) {
    case CvcOptions::Compression::automatic:
      break;
    case CvcOptions::Compression::none:
      return Encoding::none;
    case CvcOptions::Compression::fp16:
      return Encoding::fp16;
    case CvcOptions::Compression::int8:
      return Encoding::int8;
    case CvcOptions::Compression::lossless:
      return Encoding::lossless;
  }
  return std::nullopt;
}

/// Returns the encoding of a column of numbers. Float16 values are stored without change under both
/// names (none, fp16); the reference package reads them only as fp16.
Encoding number_encoding(const NumberColumn& column) {
  const bool halves = column.type == ElementType::f16;
  return encoding_for(column.cvc_compression).value_or(halves ? Encoding::fp16 : Encoding::none);
}

Encoding row_encoding(const CvcOptions& options) {
  return encoding_for(options.compression).value_or(Encoding::fp16);
}

Result<std::unique_ptr<VectorWriter>> create(const std::filesystem::path& path, std::uint64_t dim,
                                             const WriteOptions& options) {
  const Encoding encoding = row_encoding(options.cvc);
  const WriterOptions own = {.chunk_rows = options.cvc.chunk_rows,
                             .num_rows = options.num_rows,
                             .mmap_optimized = options.cvc.mmap,
                             .recipe = options.recipe};
  if (encoding != Encoding::none && options.columns.empty())
    return std::make_unique<RowWriter>(EMBD_TRY(Writer::create(path, dim, encoding, own)), dim,
                                       encoding, 1);
  if (encoding == Encoding::lossless) {
    return fail(ErrorCode::invalid_argument,
                "the compression \"lossless\" cannot be used in a CVC file with columns: choose "
                "\"none\", which keeps every bit");
  }
  const std::string& name = options.cvc.column;
  const std::string_view rows = name.empty() ? embedding_column : name;
  std::vector<Column> columns = {{std::string(rows), dim, ElementType::f32, encoding}};
  for (const NumberColumn& column : options.columns)
    columns.push_back({column.name, column.dim, column.type, number_encoding(column)});
  const std::size_t num_columns = columns.size();
  return std::make_unique<RowWriter>(
      EMBD_TRY(Writer::create_columnar(path, std::move(columns), own)), dim, encoding, num_columns);
}

ElementType stored_type(const WriteOptions& options) {
  return row_encoding(options.cvc) == Encoding::fp16 ? ElementType::f16 : ElementType::f32;
}

constexpr std::array<std::string_view, 1> extensions = {".cvc"};

}  // namespace

const Format format = {
    .name = "cvc",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open,
    .create = create,
    .room = always<Room{.recipe = true, .sections = true, .chunks = true, .columns = true}>,
    .stored_type = stored_type,
    .codes = CodeStorage::none,
    .is_compressed = true,
};

}  // namespace embd::cvc
