#include "formats/vectors/parquet/foreign_footer.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "base/utf8.h"

namespace embd::parquet {
namespace {

/// Makes columns from the leaves of a schema.
class ColumnsReader {
 public:
  explicit ColumnsReader(const FileMetadata& metadata) : metadata_(metadata) {}

  Result<std::vector<ForeignColumn>> read() {
    const std::int64_t num_columns = next_element().num_children;
    for (std::int64_t i = 0; i < num_columns; ++i) {
      const std::size_t first = columns_.size();
      EMBD_TRY(read_element({}, 0));
      const std::size_t leaves = columns_.size() - first;
      for (std::size_t leaf = first; leaf < columns_.size(); ++leaf) columns_[leaf].leaves = leaves;
    }
    return std::move(columns_);
  }

 private:
  std::unexpected<Error> bad(ErrorCode code, std::string what) const {
    return std::unexpected(Error(code, std::move(what)).at_offset(metadata_.end));
  }

  /// Returns the next element of the schema. It exists, because the element before has children or
  /// siblings.
  const SchemaElement& next_element() { return metadata_.schema[next_++]; }

  /// Reads an element of the schema and its children. `above` has the name of the column and the
  /// levels so far.
  Result<void> read_element(const ForeignColumn& above, unsigned depth) {
    constexpr unsigned most_depth = 64;
    if (depth == most_depth) return bad(ErrorCode::bad_count, "the schema has more than 64 levels");
    const SchemaElement& element = next_element();
    ForeignColumn column = above;
    column.is_nested = depth > 0;
    if (depth == 0) {
      if (const auto bad_at = find_invalid_utf8(element.name))
        return bad(
            ErrorCode::invalid_utf8,
            fmt::format("byte {} of the name of a column is not part of a character in UTF-8",
                        *bad_at));
      column.name = element.name;
    }
    if (element.repetition < 0 || element.repetition > 2)
      return bad(ErrorCode::bad_value,
                 fmt::format("the repetition of a column is {}, which Parquet does not define",
                             element.repetition));
    const auto repetition = static_cast<Repetition>(element.repetition);
    if (repetition != Repetition::required) ++column.most_definition;
    if (repetition == Repetition::repeated) ++column.most_repetition;
    if (element.num_children > 0) {
      for (std::int64_t i = 0; i < element.num_children; ++i)
        EMBD_TRY(read_element(column, depth + 1));
      return {};
    }
    if (!element.type || *element.type < 0 || *element.type > 7)
      return bad(ErrorCode::bad_value,
                 fmt::format("column {:?} has the type {}, which Parquet does not define",
                             column.name, element.type.value_or(-1)));
    column.type = static_cast<PhysicalType>(*element.type);
    column.type_length = element.type_length;
    column.is_float16 = element.is_float16;
    column.is_unsigned = element.is_unsigned;
    columns_.push_back(std::move(column));
    return {};
  }

  const FileMetadata& metadata_;
  std::size_t next_ = 0;  // The next element of the schema.
  std::vector<ForeignColumn> columns_;
};

}  // namespace

Result<ForeignFooter> foreign_footer(FileMetadata metadata) {
  std::vector<ForeignColumn> columns = EMBD_TRY(ColumnsReader(metadata).read());
  return ForeignFooter{.columns = std::move(columns),
                       .num_rows = metadata.num_rows,
                       .row_groups = std::move(metadata.row_groups),
                       .metadata = std::move(metadata.metadata),
                       .created_by = std::move(metadata.created_by)};
}

}  // namespace embd::parquet
