#include "cli/row_ids.h"

#include <string>

namespace embd::cli {

std::vector<std::string> id_strings(const Ids& ids, std::uint64_t num_rows) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) return *strings;
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
  std::vector<std::string> strings;
  strings.reserve(num_rows);
  for (std::uint64_t i = 0; i < num_rows; ++i)
    strings.push_back(std::to_string(numbers != nullptr ? (*numbers)[i] : i));
  return strings;
}

Ids slice_ids(const Ids& ids, std::uint64_t first, std::uint64_t count) {
  return std::visit(
      [&](const auto& all) -> Ids {
        using All = std::decay_t<decltype(all)>;
        if constexpr (std::is_same_v<All, std::monostate>) {
          return Ids{};
        } else {
          const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
          return All(begin, begin + static_cast<std::ptrdiff_t>(count));
        }
      },
      ids);
}

}  // namespace embd::cli
