#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <type_traits>

#include "embd/vectors.h"

namespace embd {

/// How many there are; nullopt for none at all.
inline std::optional<std::uint64_t> count_ids(const Ids& ids) noexcept {
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids)) return numbers->size();
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) return strings->size();
  return std::nullopt;
}

/// The numbers of rows, which stand for ids that are not there.
inline Ids row_numbers(RowRange rows) {
  std::vector<std::uint64_t> numbers(rows.end - rows.first);
  std::iota(numbers.begin(), numbers.end(), rows.first);
  return numbers;
}

/// The ids of rows [first, first + count), which exist.
inline Ids slice_ids(const Ids& ids, std::uint64_t first, std::uint64_t count) {
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

/// The ids of a selection of all rows, which exist.
inline Ids select_ids(const Ids& ids, const RowSelection& selection) {
  return std::visit(
      [&](const auto& all) -> Ids {
        using All = std::decay_t<decltype(all)>;
        All some = {};
        if constexpr (!std::is_same_v<All, std::monostate>) {
          for (const auto& [first, end] : selection.ranges)
            some.insert(some.end(), all.begin() + static_cast<std::ptrdiff_t>(first),
                        all.begin() + static_cast<std::ptrdiff_t>(end));
        }
        return some;
      },
      ids);
}

}  // namespace embd
