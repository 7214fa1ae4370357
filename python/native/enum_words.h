#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "embd/enum_names.h"
#include "native/error.h"

namespace embd::python {

/// The value that `word` names; raises where it names none.
template <class Enum, std::size_t Count>
Enum value_of_word(std::string_view option, const std::string& word,
                   const EnumNames<Enum, Count>& names) {
  if (const auto value = value_named(word, names)) return *value;
  std::vector<std::string_view> words;
  for (const auto& [name, value] : names) words.push_back(name);
  raise_invalid(fmt::format("{} \"{}\", expected one of {}", option, word, fmt::join(words, ", ")));
}

}  // namespace embd::python
