#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace embd {

/// The words for the values of an enumeration, as the command line and Python have them. A value
/// that nobody can ask for has none.
template <class Enum, std::size_t Count>
using EnumNames = std::array<std::pair<std::string_view, Enum>, Count>;

/// Empty for a value without a word.
template <class Enum, std::size_t Count>
constexpr std::string_view name_of(Enum value, const EnumNames<Enum, Count>& names) noexcept {
  for (const auto& [name, named] : names)
    if (named == value) return name;
  return {};
}

/// nullopt where no value has this word.
template <class Enum, std::size_t Count>
constexpr std::optional<Enum> value_named(std::string_view word,
                                          const EnumNames<Enum, Count>& names) noexcept {
  for (const auto& [name, value] : names)
    if (name == word) return value;
  return std::nullopt;
}

}  // namespace embd
