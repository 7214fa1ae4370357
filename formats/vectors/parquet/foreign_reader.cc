#include "formats/vectors/parquet/foreign_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/byte_reader.h"
#include "base/elements.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/vectors/parquet/foreign_column.h"
#include "formats/vectors/parquet/foreign_table.h"
#include "formats/vectors/row_range.h"

namespace embd::parquet {
namespace {

/// Returns the type of a list's values; nothing if they are not floats.
std::optional<ElementType> float_type(const ForeignColumn& column) {
  if (column.leaves != 1 || column.most_repetition != 1) return std::nullopt;
  if (column.type == PhysicalType::float32) return ElementType::f32;
  if (column.type == PhysicalType::float64) return ElementType::f64;
  const bool is_half =
      column.type == PhysicalType::fixed_bytes && column.is_float16 && column.type_length == 2;
  return is_half ? std::optional(ElementType::f16) : std::nullopt;
}

class ForeignReader final : public VectorReader, private RowTextSource {
 public:
  explicit ForeignReader(ForeignTable table) : table_(std::move(table)) {}

  Result<void> open(const ReadOptions& options) { return in_file(name(), open_unnamed(options)); }

  const VectorSetInfo& info() const noexcept override { return info_; }

  Result<Ids> ids() const override {
    if (ids_ == nullptr) return Ids{};
    if (ids_->value_bytes() == 0) return EMBD_TRY(strings(*ids_, 0, info_.num_rows));
    return in_file(name(), number_ids());
  }

  Result<std::optional<Recipe>> recipe() const override {
    for (const auto& [key, value] : table_.footer().metadata)
      if (key == recipe_key) return EMBD_TRY(recipe_from_json(value));
    return std::nullopt;
  }

  std::string describe() const override {
    nlohmann::ordered_json columns = nlohmann::json::array();
    for (const ForeignColumn& column : table_.footer().columns)
      if (columns.empty() || columns.back() != column.name) columns.push_back(column.name);
    return nlohmann::ordered_json({{"vectors", vectors_->column().name},
                                   {"row_groups", table_.footer().row_groups.size()},
                                   {"written_by", table_.footer().created_by},
                                   {"pages", vectors_->num_pages()},
                                   {"columns", columns}})
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  Result<void> verify() const override {
    const auto pass = [](const PageContent&, std::uint64_t, std::uint64_t, std::uint64_t) {};
    EMBD_TRY(in_file(name(), vectors_->read(0, info_.num_rows * info_.dim, pass)));
    EMBD_TRY(ids());
    if (texts_ != nullptr) EMBD_TRY(in_file(name(), texts_->read(0, info_.num_rows, pass)));
    return {};
  }

  const RowTextSource* row_texts() const noexcept override {
    return texts_ == nullptr ? nullptr : this;
  }

 private:
  Result<void> open_unnamed(const ReadOptions& options) {
    const Bytes bytes = table_.bytes();
    const std::uint64_t data_end = table_.data_end();
    const std::size_t leaf = EMBD_TRY(vector_leaf(options));
    const ForeignColumn& column = table_.footer().columns[leaf];
    const std::uint64_t dim = EMBD_TRY(values_a_row(leaf, data_end));
    vectors_ = EMBD_TRY(ForeignColumnReader::open(bytes, data_end, table_.footer(), leaf, dim));
    const auto open_plain = [&](std::string_view name) {
      return open_column(bytes, data_end, name);
    };
    ids_ = EMBD_TRY(open_plain(id_column));
    texts_ = EMBD_TRY(open_plain(text_column));
    if (texts_ != nullptr && texts_->value_bytes() != 0) texts_.reset();
    const ElementType type = *float_type(column);
    info_ = {.format = "parquet",
             .encoding = std::string(element_name(type)),
             .num_rows = table_.footer().num_rows,
             .dim = dim,
             .element_type = type};
    return {};
  }

  std::string_view name() const noexcept { return table_.path().native(); }
  static std::unexpected<Error> bad(std::uint64_t offset, ErrorCode code, std::string what) {
    return std::unexpected(Error(code, std::move(what)).at_offset(offset));
  }

  /// Returns the leaf with the vectors.
  Result<std::size_t> vector_leaf(const ReadOptions& options) const {
    std::vector<std::size_t> found;
    std::string names;
    for (std::size_t i = 0; i < table_.footer().columns.size(); ++i) {
      const ForeignColumn& column = table_.footer().columns[i];
      if (!float_type(column)) continue;
      if (column.name == options.column || (options.column.empty() && column.name == vector_column))
        return i;
      names += fmt::format("{}{:?}", names.empty() ? "" : ", ", column.name);
      found.push_back(i);
    }
    const std::uint64_t end = table_.bytes().size() - tail_bytes;
    if (found.empty())
      return bad(end, ErrorCode::unsupported, "no column contains lists of floats, as vectors are");
    if (!options.column.empty())
      return bad(end, ErrorCode::missing,
                 fmt::format("no column of vectors is named {:?}, expected one of {}",
                             options.column, names));
    if (found.size() == 1 || options.any_column) return found.front();
    return bad(end, ErrorCode::invalid_argument,
               fmt::format("there are several columns of vectors: name one of {}", names));
  }

  /// Returns the length of the lists, which the schema does not state.
  Result<std::uint64_t> values_a_row(std::size_t leaf, std::uint64_t offset) const {
    for (const RowGroup& group : table_.footer().row_groups) {
      if (group.num_rows == 0) continue;
      const std::uint64_t values = group.chunks[leaf].num_values;
      if (values >= group.num_rows && values % group.num_rows == 0 &&
          values / group.num_rows <= max_dim)
        return values / group.num_rows;
      return bad(
          offset, ErrorCode::bad_count,
          fmt::format(
              "column {:?}: there are {} values in {} rows, expected the same number in each row",
              table_.footer().columns[leaf].name, values, group.num_rows));
    }
    return bad(
        offset, ErrorCode::bad_count,
        fmt::format("column {:?} has no rows, so the number of values of a vector is unknown",
                    table_.footer().columns[leaf].name));
  }

  /// Opens the column of numbers or strings with this name; null if there is none.
  Result<std::unique_ptr<ForeignColumnReader>> open_column(Bytes bytes, std::uint64_t data_end,
                                                           std::string_view wanted) const {
    const auto found = std::ranges::find(table_.footer().columns, wanted, &ForeignColumn::name);
    if (found == table_.footer().columns.end() || !found->has_single_values()) return nullptr;
    const bool is_known = found->type == PhysicalType::int64 ||
                          found->type == PhysicalType::int32 ||
                          found->type == PhysicalType::byte_array;
    if (!is_known) return nullptr;
    return ForeignColumnReader::open(
        bytes, data_end, table_.footer(),
        static_cast<std::size_t>(found - table_.footer().columns.begin()), 1);
  }

  Result<Ids> number_ids() const {
    std::vector<std::uint64_t> numbers;
    std::optional<std::uint64_t> negative;
    const std::size_t width = ids_->value_bytes();
    const bool is_unsigned = ids_->column().is_unsigned;
    EMBD_TRY(ids_->read(
        0, info_.num_rows,
        [&](const PageContent& page, std::uint64_t first, std::uint64_t count, std::uint64_t row) {
          for (std::uint64_t i = 0; i < count; ++i) {
            const Bytes value = Bytes(page.numbers).subspan((first + i) * width, width);
            const std::int64_t number = width == 8    ? load<std::int64_t>(value)
                                        : is_unsigned ? std::int64_t{load<std::uint32_t>(value)}
                                                      : std::int64_t{load<std::int32_t>(value)};
            if (number < 0 && !is_unsigned && !negative) negative = row + i;
            numbers.push_back(static_cast<std::uint64_t>(number));
          }
        }));
    if (negative)
      return fail(ErrorCode::bad_value,
                  fmt::format("the id of row {} is negative, expected at least 0", *negative));
    return numbers;
  }

  Result<std::vector<std::string>> strings(const ForeignColumnReader& column, std::uint64_t first,
                                           std::uint64_t count) const {
    std::vector<std::string> found;
    EMBD_TRY(in_file(name(), column.read(first, count,
                                         [&](const PageContent& page, std::uint64_t at,
                                             std::uint64_t part, std::uint64_t) {
                                           for (std::uint64_t i = 0; i < part; ++i)
                                             found.push_back(page.strings[at + i]);
                                         })));
    return found;
  }

  Result<std::vector<std::string>> texts(std::uint64_t first, std::uint64_t count) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    return strings(*texts_, first, count);
  }

  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    const std::uint64_t begin = first * info_.dim;
    const std::size_t width = vectors_->value_bytes();
    return in_file(name(),
                   vectors_->read(begin, count * info_.dim,
                                  [&](const PageContent& page, std::uint64_t at, std::uint64_t part,
                                      std::uint64_t value) {
                                    floats_from_elements(
                                        info_.element_type,
                                        Bytes(page.numbers).subspan(at * width, part * width),
                                        out.subspan(value - begin, part));
                                  }));
  }

  ForeignTable table_;
  VectorSetInfo info_;
  std::unique_ptr<ForeignColumnReader> vectors_;
  std::unique_ptr<ForeignColumnReader> ids_;    // Null if there are no ids.
  std::unique_ptr<ForeignColumnReader> texts_;  // Null if there are no texts.
};

}  // namespace

Result<std::unique_ptr<VectorReader>> open_foreign_parquet(ParquetFile file,
                                                           const ReadOptions& options) {
  auto reader = std::make_unique<ForeignReader>(EMBD_TRY(ForeignTable::open(std::move(file))));
  EMBD_TRY(reader->open(options));
  return reader;
}

}  // namespace embd::parquet
