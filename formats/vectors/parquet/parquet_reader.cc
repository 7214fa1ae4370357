#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/elements.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/vectors/format.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/parquet/parquet_file.h"

namespace embd::parquet {
namespace {

using OpenColumn = std::unique_ptr<ColumnReader>;

/// Returns the type of numbers that vectors and scores may be made of; nothing for other values.
std::optional<ElementType> float_type(const Leaf& leaf) {
  switch (leaf.kind) {
    case ValueKind::float16:
      return ElementType::f16;
    case ValueKind::float32:
      return ElementType::f32;
    case ValueKind::float64:
      return ElementType::f64;
    default:
      return std::nullopt;
  }
}

bool is_list_of_floats(const Leaf& leaf) {
  return leaf.leaves == 1 && leaf.most_repetition == 1 && float_type(leaf);
}

/// Returns the type in which a column of numbers is given beside the vectors; nothing for other
/// values and for columns with values that may be missing.
std::optional<ElementType> number_type(const Leaf& leaf) {
  if (!leaf.has_single_values() || leaf.most_definition > 0) return std::nullopt;
  const bool is_unsigned = leaf.kind == ValueKind::unsigned_number;
  if (leaf.has_whole_numbers()) {
    if (leaf.bits == 8) return is_unsigned ? ElementType::u8 : ElementType::i8;
    if (leaf.bits == 16) return ElementType::i32;
    if (is_unsigned) return std::nullopt;
    return leaf.bits == 32 ? ElementType::i32 : ElementType::i64;
  }
  return leaf.kind == ValueKind::float64 ? std::nullopt : float_type(leaf);
}

class ParquetReader final : public VectorReader,
                            private PlainRowSource,
                            private TableSource,
                            private RowTextSource {
 public:
  explicit ParquetReader(ParquetFile file) : file_(std::move(file)) {}

  Result<void> open(const ReadOptions& options) {
    auto opened = open_columns(options);
    // A file of embd that lacks something is damaged, so its error has a place.
    if (!opened && file_.metadata().is_own() && options.column.empty())
      return std::unexpected(
          std::move(opened).error().at_offset(file_.bytes().size() - tail_bytes));
    return opened;
  }

  const VectorSetInfo& info() const noexcept override { return info_; }

  Result<Ids> ids() const override {
    if (ids_ == nullptr) return Ids{};
    if (ids_->leaf().has_strings()) return EMBD_TRY(strings(*ids_, 0, info_.num_rows));
    return in_file(file_.path(), number_ids());
  }

  Result<std::optional<Recipe>> recipe() const override {
    const std::string* json = file_.metadata().entry(recipe_key);
    if (json == nullptr) return std::nullopt;
    return EMBD_TRY(recipe_from_json(*json));
  }

  std::string describe() const override {
    const auto read = opened();
    nlohmann::ordered_json columns = nlohmann::json::array();
    for (const Leaf& leaf : leaves()) {
      if (!columns.empty() && columns.back()["name"] == leaf.column) continue;
      columns.push_back({{"name", leaf.column}, {"type", leaf.type_name()}});
      const auto found = read.find(leaf.column);
      if (found == read.end()) continue;
      columns.back()["type"] = leaf.value_name();
      columns.back()["values_per_row"] = found->second->values_a_row();
      columns.back()["pages"] = found->second->num_pages();
    }
    std::uint64_t bytes = 0;
    std::uint64_t uncompressed = 0;
    std::string codec = "none";
    for (const RowGroup& group : file_.metadata().row_groups) {
      for (const ColumnChunk& chunk : group.chunks) {
        bytes += chunk.bytes;
        uncompressed += chunk.uncompressed_bytes;
        if (chunk.codec != Codec::uncompressed) codec = name_of(chunk.codec);
      }
    }
    return nlohmann::ordered_json({{"written_by", file_.metadata().created_by},
                                   {"row_groups", file_.metadata().row_groups.size()},
                                   {"compression", codec},
                                   {"bytes", bytes},
                                   {"uncompressed_bytes", uncompressed},
                                   {"columns", columns}})
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  Result<void> verify() const override {
    for (const auto& [name, column] : opened()) EMBD_TRY(in_file(file_.path(), column->verify()));
    EMBD_TRY(ids());
    return {};
  }

  const PlainRowSource* plain_rows() const noexcept override {
    return info_.element_type == ElementType::f64 ? nullptr : this;  // rounded to float32
  }
  const TableSource* table() const noexcept override { return this; }
  const RowTextSource* row_texts() const noexcept override {
    return texts_ == nullptr ? nullptr : this;
  }

 private:
  Result<void> open_columns(const ReadOptions& options) {
    EMBD_TRY(in_file(file_.path(), open_rows(options)));
    const bool has_ids = std::ranges::find(leaves(), id_column, &Leaf::column) != leaves().end();
    if (has_ids && !opened().contains(id_column)) ids_ = EMBD_TRY(file_.open_ids(id_column));
    return in_file(file_.path(), open_further_columns(options));
  }

  const std::vector<Leaf>& leaves() const noexcept { return file_.metadata().leaves; }
  std::optional<MatrixView> view() const noexcept override { return std::nullopt; }

  /// Returns the values of each page of a file of embd. Those of other programs may divide rows.
  Result<std::optional<RowBlocks>> blocks() const override {
    if (!file_.metadata().is_own() || rows_.size() != 1 || info_.element_type != ElementType::f32)
      return std::nullopt;
    RowBlocks rows;
    const std::uint64_t dim = info_.dim;
    for (std::uint64_t value = 0; value < info_.num_rows * dim;) {
      const auto page = EMBD_TRY(in_file(file_.path(), rows_.front()->page_with(value)));
      const std::uint64_t num_rows = page.count / dim;
      if (num_rows * dim != page.count) return std::nullopt;
      if (is_mapped(page.content->numbers)) {
        const auto* first = reinterpret_cast<const float*>(page.content->numbers.data());
        rows.blocks.emplace_back(first, num_rows, dim);
      } else {
        Matrix& copy = rows.copies.emplace_back(num_rows, dim);
        floats_from_elements(ElementType::f32, page.content->numbers, copy.values());
        rows.blocks.emplace_back(copy);
      }
      value += page.count;
    }
    return rows;
  }

  /// Returns true if numbers are used where they lie in the file, at an address that floats may
  /// have.
  bool is_mapped(Bytes numbers) const noexcept {
    const Bytes file = file_.bytes();
    return numbers.data() >= file.data() && numbers.data() < file.data() + file.size() &&
           reinterpret_cast<std::uintptr_t>(numbers.data()) % alignof(float) == 0;
  }

  /// Opens the columns that rows are made of.
  Result<void> open_rows(const ReadOptions& options) {
    std::vector<std::size_t> places;
    if (options.column.empty()) places = score_leaves();
    info_ = {.format = "parquet", .num_rows = file_.metadata().num_rows};
    if (places.empty())
      places.push_back(EMBD_TRY(vector_leaf(options)));
    else
      info_.kind = RowKind::scores;
    for (const std::size_t place : places) {
      const bool is_list = leaves()[place].most_repetition > 0;
      const std::uint64_t dim = is_list ? EMBD_TRY(values_a_row(place)) : 1;
      rows_.push_back(EMBD_TRY(file_.open_leaf(place, dim)));
      info_.dim += dim;
    }
    info_.element_type = *float_type(leaves()[places.front()]);
    info_.encoding = element_name(info_.element_type);
    return {};
  }

  /// Returns the places of two columns of scores and logits, one number or one list in each row;
  /// nothing if the file has other lists, or none of these.
  std::vector<std::size_t> score_leaves() const {
    const auto num_lists = std::ranges::count_if(leaves(), is_list_of_floats);
    if (num_lists != 0 && num_lists != 2) return {};
    std::vector<std::size_t> places;
    for (const std::string_view name : {num_lists == 0 ? score_column : scores_column,
                                        num_lists == 0 ? logit_column : logits_column}) {
      const auto found = std::ranges::find(leaves(), name, &Leaf::column);
      if (found == leaves().end() || found->kind != ValueKind::float32 ||
          (num_lists == 0 ? !found->has_single_values() : !is_list_of_floats(*found)))
        return {};
      places.push_back(static_cast<std::size_t>(found - leaves().begin()));
    }
    return places;
  }

  /// Returns the place of the column of vectors.
  Result<std::size_t> vector_leaf(const ReadOptions& options) const {
    std::vector<std::size_t> found;
    std::string names;
    for (std::size_t i = 0; i < leaves().size(); ++i) {
      const Leaf& leaf = leaves()[i];
      if (!is_list_of_floats(leaf)) continue;
      if (leaf.column == (options.column.empty() ? vector_column : options.column)) return i;
      names += fmt::format("{}{:?}", names.empty() ? "" : ", ", leaf.column);
      found.push_back(i);
    }
    if (found.empty())
      return fail(ErrorCode::unsupported, "no column contains lists of floats, as vectors are");
    if (!options.column.empty())
      return fail(ErrorCode::missing, "no column of vectors is named {:?}, expected one of {}",
                  options.column, names);
    if (found.size() == 1 || options.any_column) return found.front();
    return fail(ErrorCode::invalid_argument, "there are several columns of vectors: name one of {}",
                names);
  }

  /// Returns the length of the lists. The schema does not state it; the metadata of embd do.
  Result<std::uint64_t> values_a_row(std::size_t leaf) const {
    const std::string* told = file_.metadata().entry(dim_key);
    if (told != nullptr && (file_.metadata().is_own() || info_.num_rows == 0)) {
      const auto dim = whole_number<std::uint64_t>(*told);
      if (dim && *dim > 0 && *dim <= max_dim) return *dim;
      return fail_at(file_.bytes().size() - tail_bytes, ErrorCode::bad_value,
                     "the metadata {} is {:?}, expected a number from 1 to {}", dim_key, *told,
                     max_dim);
    }
    for (const RowGroup& group : file_.metadata().row_groups) {
      if (group.num_rows == 0) continue;
      const std::uint64_t values = group.chunks[leaf].num_values;
      if (values >= group.num_rows && values % group.num_rows == 0 &&
          values / group.num_rows <= max_dim)
        return values / group.num_rows;
      return fail(
          ErrorCode::bad_count,
          "column {:?}: there are {} values in {} rows, expected the same number in each row",
          leaves()[leaf].column, values, group.num_rows);
    }
    return fail(ErrorCode::bad_count,
                "column {:?} has no rows, so the number of values of a vector is unknown",
                leaves()[leaf].column);
  }

  /// Opens the texts; and, unless a single column was chosen, all columns of numbers and texts
  /// without missing values.
  Result<void> open_further_columns(const ReadOptions& options) {
    std::set<std::string_view> names;
    for (const auto& [name, column] : opened()) names.insert(name);
    for (std::size_t i = 0; i < leaves().size(); ++i) {
      const Leaf& leaf = leaves()[i];
      if (!names.insert(leaf.column).second) continue;
      const bool has_texts = leaf.has_single_values() && leaf.has_strings();
      if (leaf.column == text_column && has_texts) {
        texts_ = EMBD_TRY(file_.open_leaf(i, 1));
      } else if (options.column.empty() &&
                 (number_type(leaf) || (has_texts && leaf.most_definition == 0))) {
        auto column = file_.open_leaf(i, 1);
        if (column)
          further_.push_back(std::move(*column));
        else if (column.error().code() != ErrorCode::unsupported || file_.metadata().is_own())
          return std::unexpected(std::move(column).error());
      }
    }
    return {};
  }

  /// Returns the columns that are read, by their names.
  std::map<std::string_view, const ColumnReader*> opened() const {
    std::map<std::string_view, const ColumnReader*> columns;
    const auto add = [&](const OpenColumn& column) {
      if (column != nullptr) columns.emplace(column->leaf().column, column.get());
    };
    for (const OpenColumn& column : rows_) add(column);
    add(ids_);
    add(texts_);
    for (const OpenColumn& column : further_) add(column);
    return columns;
  }

  Result<std::vector<std::uint64_t>> number_ids() const {
    std::vector<std::uint64_t> numbers;
    std::optional<std::uint64_t> negative;
    const std::size_t width = ids_->value_bytes();
    const bool is_unsigned = ids_->leaf().kind == ValueKind::unsigned_number;
    EMBD_TRY(ids_->read(
        0, info_.num_rows,
        [&](const PageContent& page, std::uint64_t first, std::uint64_t count, std::uint64_t row) {
          for (std::uint64_t i = 0; i < count; ++i) {
            const Bytes value = page.numbers.subspan((first + i) * width, width);
            const std::int64_t number = width == 8    ? load<std::int64_t>(value)
                                        : is_unsigned ? std::int64_t{load<std::uint32_t>(value)}
                                                      : std::int64_t{load<std::int32_t>(value)};
            if (number < 0 && !is_unsigned && !negative) negative = row + i;
            numbers.push_back(static_cast<std::uint64_t>(number));
          }
        }));
    if (!negative) return numbers;
    return fail(ErrorCode::bad_value, "the id of row {} is negative, expected at least 0",
                *negative);
  }

  Result<std::vector<std::string>> strings(const ColumnReader& column, std::uint64_t first,
                                           std::uint64_t count) const {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    std::vector<std::string> found;
    EMBD_TRY(
        in_file(file_.path(), column.read(first, count,
                                          [&](const PageContent& page, std::uint64_t at,
                                              std::uint64_t part, std::uint64_t) {
                                            const auto views =
                                                std::span(page.strings.views).subspan(at, part);
                                            found.insert(found.end(), views.begin(), views.end());
                                          })));
    return found;
  }

  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    std::uint64_t place = 0;
    for (const OpenColumn& column : rows_) {
      EMBD_TRY(in_file(file_.path(), read_column_of_rows(*column, place, first, count, out)));
      place += column->values_a_row();
    }
    return {};
  }

  /// Reads the values of a column, which stand from `place` on in each row of `out`.
  Result<void> read_column_of_rows(const ColumnReader& column, std::uint64_t place,
                                   std::uint64_t first, std::uint64_t count,
                                   std::span<float> out) const {
    const std::uint64_t dim = column.values_a_row();
    const std::uint64_t begin = first * dim;
    const std::size_t width = column.value_bytes();
    std::vector<float> floats;
    return column.read(
        begin, count * dim,
        [&](const PageContent& page, std::uint64_t at, std::uint64_t part, std::uint64_t value) {
          const Bytes elements = page.numbers.subspan(at * width, part * width);
          if (dim == info_.dim)
            return floats_from_elements(info_.element_type, elements,
                                        out.subspan(value - begin, part));
          floats.resize(part);
          floats_from_elements(info_.element_type, elements, floats);
          for (std::uint64_t i = 0; i < part; ++i) {
            const std::uint64_t number = value - begin + i;
            out[number / dim * info_.dim + place + number % dim] = floats[i];
          }
        });
  }

  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    out.clear();
    if (rows_.size() > 1) {  // Scores and logits, which are float32.
      std::vector<float> floats(count * info_.dim);
      EMBD_TRY(read_rows(first, count, floats));
      const Bytes bytes = std::as_bytes(std::span(floats));
      out.assign(bytes.begin(), bytes.end());
      return {};
    }
    const std::size_t width = rows_.front()->value_bytes();
    const auto append = [&](const PageContent& page, std::uint64_t at, std::uint64_t part,
                            std::uint64_t) {
      const Bytes elements = page.numbers.subspan(at * width, part * width);
      out.insert(out.end(), elements.begin(), elements.end());
    };
    return in_file(file_.path(), rows_.front()->read(first * info_.dim, count * info_.dim, append));
  }

  std::vector<NumberColumn> columns() const override {
    std::vector<NumberColumn> columns;
    for (const OpenColumn& column : further_)
      if (const auto type = number_type(column->leaf()))
        columns.push_back({.name = column->leaf().column, .type = *type});
    return columns;
  }

  std::vector<std::string> text_columns() const override {
    std::vector<std::string> names;
    for (const OpenColumn& column : further_)
      if (column->leaf().has_strings()) names.push_back(column->leaf().column);
    return names;
  }

  /// Returns the further column with this name; null if there is none.
  const ColumnReader* column_named(std::string_view name) const {
    const auto name_of_column = [](const OpenColumn& column) -> std::string_view {
      return column->leaf().column;
    };
    const auto found = std::ranges::find(further_, name, name_of_column);
    return found == further_.end() ? nullptr : found->get();
  }

  Result<void> read_column(std::string_view name, std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    const ColumnReader* column = column_named(name);
    const auto type = column == nullptr ? std::nullopt : number_type(column->leaf());
    if (!type) return fail(ErrorCode::invalid_argument, "no column of numbers is named {:?}", name);
    out.clear();
    const std::size_t width = element_bits(*type) / 8;
    const std::size_t stored = column->value_bytes();
    const auto append = [&](const PageContent& page, std::uint64_t at, std::uint64_t part,
                            std::uint64_t) {
      for (std::uint64_t i = at; i < at + part; ++i) {
        // Little-endian, so the lowest bytes are the value.
        const Bytes value = page.numbers.subspan(i * stored, width);
        out.insert(out.end(), value.begin(), value.end());
      }
    };
    return in_file(file_.path(), column->read(first, count, append));
  }

  Result<std::vector<std::string>> read_text_column(std::string_view name, std::uint64_t first,
                                                    std::uint64_t count) const override {
    const ColumnReader* column = column_named(name);
    if (column == nullptr || !column->leaf().has_strings())
      return TableSource::read_text_column(name, first, count);
    return strings(*column, first, count);
  }

  Result<std::vector<std::string>> texts(std::uint64_t first, std::uint64_t count) const override {
    return strings(*texts_, first, count);
  }

  ParquetFile file_;
  VectorSetInfo info_;
  std::vector<OpenColumn> rows_;     // whose values, one after another, make up a row
  OpenColumn ids_;                   // null if there are no ids
  OpenColumn texts_;                 // null if there are no texts
  std::vector<OpenColumn> further_;  // numbers and texts, none of which is missing
};

}  // namespace

Result<std::unique_ptr<VectorReader>> open_parquet(const std::filesystem::path& path,
                                                   const ReadOptions& options) {
  auto reader = std::make_unique<ParquetReader>(EMBD_TRY(ParquetFile::open(path)));
  EMBD_TRY(reader->open(options));
  return reader;
}

}  // namespace embd::parquet
