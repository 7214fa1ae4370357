#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>

#include "embd/vectors.h"

namespace embd {

/// Returns the number of ids; nullopt if there are no ids at all.
inline std::optional<std::uint64_t> count_ids(const Ids& ids) noexcept {
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids)) return numbers->size();
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) return strings->size();
  return std::nullopt;
}

/// Returns the numbers of rows as ids. They stand for ids if a vector set has none.
inline Ids row_numbers(RowRange rows) {
  std::vector<std::uint64_t> numbers(rows.end - rows.first);
  std::iota(numbers.begin(), numbers.end(), rows.first);
  return numbers;
}

/// Returns the ids of rows [first, first + count), which must exist; none if `ids` has none.
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

/// Returns the ids of the selected rows, which must exist; none if `ids` has none.
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

/// Appends id `i` of `ids` to `out` as a JSON string or number. `ids` must not be none. Fails with
/// invalid_utf8 if the id is not UTF-8.
Result<void> append_json_id(const Ids& ids, std::size_t i, std::string& out);

}  // namespace embd
