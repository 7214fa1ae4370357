#include "jobs/stored_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/try.h"
#include "vectors/sidecar.h"

namespace embd {
namespace {

/// The type of codes that a set's rows are; empty if they are none. USearch decodes its own; codes
/// that were put into an index have their ranges beside it.
Result<std::string> codes_of(const VectorReader& set, const std::string& path) {
  if (set.info().format == "usearch" && !std::filesystem::exists(ranges_path(path)))
    return std::string();
  const std::optional<Recipe> recipe = EMBD_TRY(set.recipe());
  return recipe && are_codes(recipe->output_type) ? recipe->output_type : std::string();
}

/// The ranges of all inputs, which must be equal; none if there are none.
Result<std::optional<Int8Ranges>> common_ranges(const Readers& inputs,
                                                const std::vector<std::string>& paths) {
  std::vector<std::optional<Int8Ranges>> all;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    all.push_back(EMBD_TRY(ranges_of(*inputs[i], paths[i])));
    const auto& first = all.front();
    const auto& last = all.back();
    if (first.has_value() == last.has_value() &&
        (!first || std::ranges::equal(first->values(), last->values())))
      continue;
    return std::unexpected(Error(ErrorCode::invalid_argument,
                                 fmt::format("int8 codes of other ranges than {}", paths[0]))
                               .in_file(paths[i]));
  }
  return std::move(all.front());
}

}  // namespace

Result<std::optional<Int8Ranges>> ranges_of(const VectorReader& set, const std::string& path) {
  const std::filesystem::path ranges = ranges_path(path);
  if (EMBD_TRY(codes_of(set, path)) != "int8" || !std::filesystem::exists(ranges)) return std::nullopt;
  return EMBD_TRY(read_ranges(ranges, set.info().dim));
}

Result<std::optional<Int8Ranges>> take_codes(const Readers& inputs,
                                             const std::vector<std::string>& paths,
                                             const Format& format, OutputOptions& output) {
  const std::string codes = EMBD_TRY(codes_of(*inputs[0], paths[0]));
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (EMBD_TRY(codes_of(*inputs[i], paths[i])) == codes) continue;
    return std::unexpected(
        Error(ErrorCode::invalid_argument,
              fmt::format("either these rows or those of {} are codes of --output-type", paths[0]))
            .in_file(paths[i]));
  }
  std::string& type = output.output_type;
  std::optional<Recipe>& recipe = output.write.recipe;
  if (codes.empty()) {
    if (recipe) recipe->output_type = type.empty() ? "f32" : type;
    return std::nullopt;
  }
  if (are_codes(type) && type != codes) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--output-type {}: the rows are {} codes", type, codes));
  }
  if (type.empty() && (format.name == "npy" || format.name == "svs")) type = codes;
  output.are_codes = true;
  if (codes == "binary") return std::nullopt;
  return common_ranges(inputs, paths);
}

}  // namespace embd
