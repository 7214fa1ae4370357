#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "embd/recipe.h"

// The words that files and options have for the values of a recipe: the one place that has them.
namespace embd {

template <class Enum, std::size_t count>
using EnumNames = std::array<std::pair<std::string_view, Enum>, count>;

inline constexpr EnumNames<Pooling, 3> pooling_names = {
    {{"mean", Pooling::mean}, {"cls", Pooling::cls}, {"max", Pooling::max}}};
inline constexpr EnumNames<Windows, 3> windows_names = {
    {{"none", Windows::none}, {"mean", Windows::mean}, {"rows", Windows::rows}}};
inline constexpr EnumNames<TruncationSide, 2> truncation_side_names = {
    {{"right", TruncationSide::right}, {"left", TruncationSide::left}}};

/// Empty for a value that is none of the enum's.
template <class Enum, std::size_t count>
constexpr std::string_view name_of(const EnumNames<Enum, count>& names, Enum value) noexcept {
  for (const auto& [name, named] : names)
    if (named == value) return name;
  return {};
}

/// Nothing for a word that is none of the names.
template <class Enum, std::size_t count>
constexpr std::optional<Enum> value_named(const EnumNames<Enum, count>& names,
                                          std::string_view word) noexcept {
  for (const auto& [name, value] : names)
    if (name == word) return value;
  return std::nullopt;
}

}  // namespace embd
