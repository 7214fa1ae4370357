#include "jobs/stored_codes.h"

#include <algorithm>

#include "base/path_text.h"
#include "base/try.h"
#include "jobs/sets/format_table.h"

namespace embd {
namespace {

/// Returns the ranges beside a set; nothing if there are none.
Result<std::optional<Int8Ranges>> ranges_of(const VectorReader& set) {
  if (set.codes() == nullptr) return std::nullopt;
  return EMBD_TRY(set.codes()->ranges());
}

/// Returns the type of codes that the rows of a set are; automatic if they are no codes.
Result<OutputType> codes_of(const VectorReader& set) {
  // Such a file decodes its own codes. Its rows are codes only if codes were written as rows.
  if (format_of(set.info()).codes == CodeStorage::own && !EMBD_TRY(ranges_of(set)))
    return OutputType::automatic;
  const std::optional<Recipe> recipe = EMBD_TRY(set.recipe());
  if (!recipe) return OutputType::automatic;
  for (const OutputType type : {OutputType::int8, OutputType::binary})
    if (recipe->output_type == output_type_name(type)) return type;
  return OutputType::automatic;
}

/// Returns the number of values of the vectors that were packed to binary codes of `dim` bytes.
std::uint64_t unpacked_dim(const std::optional<Recipe>& recipe, std::uint64_t dim) {
  const std::uint64_t said = recipe ? recipe->truncate_dim : 0;
  return binary_dim(said) == dim ? said : 8 * dim;
}

/// Returns the ranges beside the inputs, which must be equal; nothing if there are none.
Result<std::optional<Int8Ranges>> common_ranges(const Readers& inputs) {
  std::optional<Int8Ranges> common = EMBD_TRY(ranges_of(*inputs[0]));
  for (const auto& input : inputs) {
    const std::optional<Int8Ranges> ranges = EMBD_TRY(ranges_of(*input));
    if (same_ranges(ranges, common)) continue;
    return fail_in(input.path, ErrorCode::invalid_argument,
                   "the int8 codes have other ranges than the codes of {}, expected equal ranges: "
                   "make all codes anew from their vectors, with one file of ranges",
                   text_of_path(inputs[0].path));
  }
  return common;
}

}  // namespace

bool same_ranges(const std::optional<Int8Ranges>& a, const std::optional<Int8Ranges>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::ranges::equal(a->values(), b->values());
}

Result<StoredCodes> stored_codes(const VectorReader& set) {
  const std::uint64_t dim = set.info().dim;
  StoredCodes stored = {.type = EMBD_TRY(codes_of(set)), .ranges = {}, .encoded_dim = dim};
  if (stored.type == OutputType::int8) stored.ranges = EMBD_TRY(ranges_of(set));
  if (stored.type == OutputType::binary)
    stored.encoded_dim = unpacked_dim(EMBD_TRY(set.recipe()), dim);
  return stored;
}

Result<Matrix> as_codes(const StoredCodes& codes, Matrix rows) {
  if (codes.type == OutputType::binary) return binary_codes(rows);
  if (codes.type != OutputType::int8) return rows;
  if (!codes.ranges) {
    return fail(
        ErrorCode::missing,
        "the rows are int8 codes, but the file of their ranges, whose name ends in .ranges.npy, is "
        "not beside them: without it, nothing can be compared with the rows");
  }
  return int8_codes(rows, *codes.ranges);
}

Result<StoredCodes> take_codes(const Readers& inputs, std::uint64_t dim, OutputTarget& output) {
  const OutputType codes = EMBD_TRY(codes_of(*inputs[0]));
  for (const auto& input : inputs) {
    if (EMBD_TRY(codes_of(*input)) == codes) continue;
    return fail_in(input.path, ErrorCode::invalid_argument,
                   "either this file or {} holds codes (int8 or binary), but not both, expected "
                   "codes in all files or in none",
                   text_of_path(inputs[0].path));
  }
  OutputType& type = output.options.type;
  std::optional<Recipe>& recipe = output.options.write.recipe;
  if (codes == OutputType::automatic) {
    if (recipe)
      recipe->output_type = type == OutputType::automatic ? "f32" : output_type_name(type);
    return StoredCodes{.encoded_dim = dim};
  }
  if (are_codes(type) && type != codes) {
    return fail(ErrorCode::invalid_argument,
                "the output type {} was asked for, but the rows are {} codes already, which cannot "
                "be converted",
                output_type_name(type), output_type_name(codes));
  }
  const bool keeps = output.format->keeps_codes || packs_bits(*output.format, codes);
  if (type == OutputType::automatic && keeps) type = codes;
  StoredCodes stored = {.type = codes, .ranges = {}, .encoded_dim = dim};
  if (codes == OutputType::int8) stored.ranges = EMBD_TRY(common_ranges(inputs));
  if (codes == OutputType::binary) stored.encoded_dim = unpacked_dim(recipe, dim);
  return stored;
}

}  // namespace embd
