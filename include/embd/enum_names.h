#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace embd {

/// A table of the words that stand for the values of an enumeration, on the command line and in
/// Python. A value that cannot be chosen there has no word.
template <class Enum, std::size_t Count>
using EnumNames = std::array<std::pair<std::string_view, Enum>, Count>;

/// Returns the word for a value; empty if it has none.
template <class Enum, std::size_t Count>
constexpr std::string_view name_of(Enum value, const EnumNames<Enum, Count>& names) noexcept {
  for (const auto& [name, named] : names)
    if (named == value) return name;
  return {};
}

/// Returns the value that a word stands for; nullopt if the word is unknown.
template <class Enum, std::size_t Count>
constexpr std::optional<Enum> value_named(std::string_view word,
                                          const EnumNames<Enum, Count>& names) noexcept {
  for (const auto& [name, value] : names)
    if (name == word) return value;
  return std::nullopt;
}

}  // namespace embd
