// The table of a static model (Checkpoint::add_static_table).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/bytes.h"
#include "base/try.h"
#include "formats/weights/huggingface/checkpoint.h"

namespace embd::huggingface {
namespace {

/// The most columns of a table whose rows are computed. A small file can state many rows.
constexpr std::uint64_t most_columns = 8192;

/// Returns a number of the mapping.
std::int64_t number_at(const SourceTensor& mapping, std::size_t i) {
  if (mapping.dtype == "I32") return load<std::int32_t>(mapping.data.subspan(i * 4));
  return load<std::int64_t>(mapping.data.subspan(i * 8));
}

/// Reads the row of each token.
Result<std::vector<std::uint32_t>> read_mapping(const SourceTensor& mapping,
                                                std::uint32_t num_tokens, std::int64_t num_rows) {
  std::vector<std::uint32_t> rows(num_tokens);
  for (std::size_t i = 0; i < num_tokens; ++i) {
    const std::int64_t number = number_at(mapping, i);
    if (number >= num_rows || number < -num_rows) {
      return fail(ErrorCode::bad_value, "{}[{}] is {}, expected the number of one of {} rows",
                  mapping.name, i, number, num_rows);
    }
    rows[i] = static_cast<std::uint32_t>(number < 0 ? number + num_rows : number);
  }
  return rows;
}

}  // namespace

Result<const SourceTensor*> Checkpoint::list_of_tokens(const std::string& name,
                                                       std::span<const std::string_view> types,
                                                       std::uint32_t num_tokens) const {
  const SourceTensor* list = named(name);
  if (list == nullptr) return nullptr;
  if (std::ranges::find(types, list->dtype) == types.end()) {
    return fail(ErrorCode::tensor_wrong_type, "tensor {} has the type {}, expected {}", name,
                list->dtype, fmt::join(types, " or "));
  }
  if (list->shape.size() == 1 && list->shape[0] >= num_tokens) return list;
  return fail(ErrorCode::tensor_wrong_shape,
              "tensor {} has the shape [{}], expected a value for each of the {} tokens", name,
              fmt::join(list->shape, ", "), num_tokens);
}

Result<const SourceTensor*> Checkpoint::static_table() const {
  for (const char* name : {"embedding.weight", "embeddings"}) {
    const SourceTensor* table = named(name);
    if (table == nullptr) continue;
    if (!table->is_float() && table->dtype != "I8") {
      return fail(ErrorCode::tensor_wrong_type,
                  "tensor {} has the type {}, expected F32, F16, BF16 or I8", name, table->dtype);
    }
    const bool is_table = table->shape.size() == 2 && !table->data.empty() &&
                          std::ranges::max(table->shape) <= UINT32_MAX;
    if (is_table) return table;
    return fail(ErrorCode::tensor_wrong_shape,
                "tensor {} has the shape [{}], expected rows of at least one value", name,
                fmt::join(table->shape, ", "));
  }
  return fail(ErrorCode::tensor_missing,
              "embedding.weight, or embeddings, the table of a static model");
}

Result<std::uint32_t> Checkpoint::add_static_table(std::uint32_t num_tokens) {
  static constexpr auto numbers = std::to_array<std::string_view>({"I64", "I32"});
  static constexpr auto floats = std::to_array<std::string_view>({"F32"});
  SourceTensor table = *EMBD_TRY(static_table());
  const auto* mapping = EMBD_TRY(list_of_tokens("mapping", numbers, num_tokens));
  const auto* factors = EMBD_TRY(list_of_tokens("weights", floats, num_tokens));
  if (mapping == nullptr && table.shape[0] < num_tokens) {
    return fail(ErrorCode::tensor_wrong_shape,
                "tensor {} has {} rows, but the tokenizer has {} tokens", table.name,
                table.shape[0], num_tokens);
  }
  if (mapping != nullptr || factors != nullptr || table.dtype == "I8") {
    if (table.shape[1] > most_columns) {
      return fail(ErrorCode::unsupported, "tensor {} has {} columns, expected at most {}",
                  table.name, table.shape[1], most_columns);
    }
    RowRecipe recipe;
    if (mapping != nullptr) {
      recipe.rows =
          EMBD_TRY(read_mapping(*mapping, num_tokens, static_cast<std::int64_t>(table.shape[0])));
    }
    if (factors != nullptr) {
      std::vector<float> all(factors->num_values());
      factors->to_floats(all);
      all.resize(num_tokens);
      recipe.weights = std::move(all);
    }
    table.shape[0] = num_tokens;
    table.recipe = std::make_shared<const RowRecipe>(std::move(recipe));
  }
  const auto width = static_cast<std::uint32_t>(table.shape[1]);
  table.name = weight_name(Module::word_embeddings);
  static_table_ = std::make_unique<const SourceTensor>(std::move(table));
  tensors_.insert_or_assign(static_table_->name, static_table_.get());
  return width;
}

}  // namespace embd::huggingface
