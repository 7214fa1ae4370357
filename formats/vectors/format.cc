#include "formats/vectors/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/elements.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/vectors/ids.h"

namespace embd {
namespace {

Result<void> check_ids(const Ids& ids, std::uint64_t num_rows) {
  if (count_ids(ids).value_or(num_rows) != num_rows) {
    return fail(ErrorCode::invalid_argument,
                "{} ids were given for {} rows, expected one id for each row", *count_ids(ids),
                num_rows);
  }
  const auto* strings = std::get_if<std::vector<std::string>>(&ids);
  if (strings == nullptr) return {};
  for (const std::string& id : *strings)
    if (find_invalid_utf8(id))
      return fail(ErrorCode::invalid_utf8, "the id {:?} is not valid UTF-8", id.substr(0, 80));
  return {};
}

Result<void> check_count(std::size_t given, std::size_t expected, std::string_view what) {
  if (given == expected) return {};
  return fail(ErrorCode::invalid_argument, "{} {} were given, expected {}", given, what, expected);
}

}  // namespace

Result<void> check_rows(std::uint64_t first, std::uint64_t count, std::uint64_t num_rows) {
  if (first <= num_rows && count <= num_rows - first) return {};
  return fail(ErrorCode::invalid_argument,
              "{} rows were asked for, beginning with row {}, but there are {} rows", count, first,
              num_rows);
}

Result<std::optional<RowBlocks>> PlainRowSource::blocks() const {
  const std::optional<MatrixView> all = view();
  if (!all) return std::nullopt;
  return RowBlocks{.blocks = {*all}};
}

Result<std::vector<std::string>> TableSource::read_text_column(std::string_view name,
                                                               std::uint64_t /*first*/,
                                                               std::uint64_t /*count*/) const {
  return fail(ErrorCode::invalid_argument, "no column of texts is named {:?}", name);
}

Result<void> VectorReader::read(std::uint64_t first, std::uint64_t count,
                                std::span<float> out) const {
  EMBD_TRY(check_rows(first, count, info().num_rows));
  const std::uint64_t dim = info().dim;
  if (out.size() != count * dim) {
    return fail(ErrorCode::invalid_argument,
                "the output has room for {} values, expected room for {} rows of {} values",
                out.size(), count, dim);
  }
  return read_rows(first, count, out);
}

Result<void> TableSink::set_text_columns(std::span<const std::span<const std::string>> columns) {
  if (columns.empty()) return {};
  return fail(ErrorCode::invalid_argument,
              "columns of texts were given, but the format cannot store them");
}

Result<void> NextColumns::set_columns(std::span<const Bytes> columns) {
  next_columns_.assign(columns.begin(), columns.end());
  return {};
}

Result<void> NextColumns::set_text_columns(std::span<const std::span<const std::string>> columns) {
  next_text_columns_.assign(columns.begin(), columns.end());
  return {};
}

void NextColumns::clear_columns() noexcept {
  next_columns_.clear();
  next_text_columns_.clear();
}

Result<void> VectorWriter::check_values(MatrixView rows) const {
  if (kept_ == KeptValues::any) return {};
  const float first_beyond_halves = first_infinite(ElementType::f16);
  constexpr float most_in_codes = 0x1p56F;  // So that 65,536 squares add up to a finite float32.
  const bool halves = kept_ == KeptValues::halves;
  const auto values = rows.values();
  const auto bad = std::ranges::find_if_not(values, [&](float value) {
    const float size = std::abs(value);
    return halves ? !(size >= first_beyond_halves) || std::isinf(size) : size <= most_in_codes;
  });
  if (bad == values.end()) return {};
  const auto place = static_cast<std::uint64_t>(bad - values.begin());
  return fail(ErrorCode::bad_value, "row {}: value {} is {}, expected {}", num_rows_ + place / dim_,
              place % dim_, *bad,
              halves ? "an absolute value below 65520, the limit of float16"
                     : "an absolute value below 7.2e16, from which codes can be made");
}

Result<void> VectorWriter::append(MatrixView rows, const Ids& ids) {
  if (rows.rows() == 0) return {};
  if (rows.cols() != dim_) {
    return fail(ErrorCode::invalid_argument,
                "the rows that were appended have {} values, expected {}", rows.cols(), dim_);
  }
  EMBD_TRY(check_ids(ids, rows.rows()));
  if (id_kind_.value_or(ids.index()) != ids.index())
    return fail(ErrorCode::invalid_argument,
                "some ids are numbers and others are strings, expected one kind for all rows");
  id_kind_ = ids.index();
  EMBD_TRY(check_values(rows));
  EMBD_TRY(append_rows(rows, ids));
  num_rows_ += rows.rows();
  return {};
}

Result<void> VectorWriter::prepare() {
  if (prepared_) return {};
  EMBD_TRY(prepare_file());
  prepared_ = true;
  return {};
}

Result<void> VectorWriter::finish() {
  EMBD_TRY(prepare());
  return finish_file();
}

Result<void> check_column_options(const WriteOptions& options,
                                  std::span<const std::string_view> taken, std::string_view file) {
  std::vector<std::string_view> names(taken.begin(), taken.end());
  const auto add = [&](std::string_view name) -> Result<void> {
    EMBD_TRY(require_utf8(name));
    if (std::ranges::find(names, name) != names.end())
      return fail(ErrorCode::invalid_argument,
                  "two columns are named {:?} in {}, expected a different name for each column",
                  name, file);
    names.push_back(name);
    return {};
  };
  for (const NumberColumn& column : options.columns) {
    EMBD_TRY(add(column.name));
    if (column.dim == 1) continue;
    return fail(ErrorCode::unsupported,
                "column {:?} has {} values in each row, but in {}, a column beside the "
                "vectors has one value in each row",
                column.name, column.dim, file);
  }
  for (const std::string& name : options.text_columns) EMBD_TRY(add(name));
  return {};
}

Result<void> check_columns(std::span<const NumberColumn> columns, std::span<const Bytes> values,
                           std::uint64_t num_rows) {
  EMBD_TRY(check_count(values.size(), columns.size(), "columns"));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t wanted = num_rows * columns[i].dim * (element_bits(columns[i].type) / 8);
    if (values[i].size() == wanted) continue;
    return fail(ErrorCode::invalid_argument,
                "column {:?} has {} bytes for {} rows, expected {} bytes", columns[i].name,
                values[i].size(), num_rows, wanted);
  }
  return {};
}

Result<void> check_text_columns(std::span<const std::string> names,
                                std::span<const std::span<const std::string>> texts,
                                std::uint64_t num_rows) {
  EMBD_TRY(check_count(texts.size(), names.size(), "columns of texts"));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string what = fmt::format("text of the column {:?}", names[i]);
    if (texts[i].size() != num_rows) {
      return fail(ErrorCode::invalid_argument,
                  "column {:?} has {} texts for {} rows, expected one text for each row", names[i],
                  texts[i].size(), num_rows);
    }
    EMBD_TRY(check_strings(what, texts[i]));
  }
  return {};
}

Result<void> check_strings(std::string_view what, std::span<const std::string> strings) {
  for (const std::string& string : strings)
    if (const auto bad = find_invalid_utf8(string))
      return fail(ErrorCode::invalid_utf8, "byte {} of the {} is not part of a character in UTF-8",
                  *bad, what);
  return {};
}

void PlainRows::read(std::uint64_t first, std::uint64_t count, std::span<float> out) const {
  if (stride == row_bytes())
    return floats_from_elements(type, bytes.subspan(first * stride, count * stride), out);
  for (std::uint64_t i = 0; i < count; ++i)
    floats_from_elements(type, row(first + i), out.subspan(i * dim, dim));
}

Result<void> PlainRows::read_stored(std::uint64_t first, std::uint64_t count,
                                    std::vector<std::byte>& out) const {
  EMBD_TRY(check_rows(first, count, num_rows));
  out.clear();
  out.reserve(count * row_bytes());
  for (std::uint64_t i = 0; i < count; ++i) {
    const Bytes stored = row(first + i);
    out.insert(out.end(), stored.begin(), stored.end());
  }
  return {};
}

std::optional<MatrixView> PlainRows::view() const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  if (type != ElementType::f32 || stride != row_bytes() || address % alignof(float) != 0)
    return std::nullopt;
  return MatrixView(reinterpret_cast<const float*>(bytes.data()), num_rows, dim);
}

}  // namespace embd
