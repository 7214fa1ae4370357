#include "jobs/analysis/color_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analysis/map/map_parts.h"

namespace embd {
namespace {

constexpr std::size_t max_numbers = 12;
constexpr std::size_t max_groups = 500;
constexpr std::size_t num_steps = light_palette.steps.size();

/// Returns values that can be compared and sorted: NaN becomes no value, and -0 becomes 0.
std::vector<FieldValue> comparable(std::span<const FieldValue> given) {
  std::vector<FieldValue> values(given.begin(), given.end());
  for (FieldValue& value : values) {
    const double* number = std::get_if<double>(&value);
    if (number != nullptr) value = std::isnan(*number) ? FieldValue() : FieldValue(*number + 0.0);
  }
  return values;
}

std::vector<double> numbers_of(std::span<const FieldValue> values) {
  std::vector<double> numbers;
  for (const FieldValue& value : values)
    if (const double* number = std::get_if<double>(&value)) numbers.push_back(*number);
  std::ranges::sort(numbers);
  return numbers;
}

/// Groups rows by steps of their numbers. A row belongs to the last step whose smallest number is
/// not greater than its own.
void color_by_steps(std::span<const FieldValue> values, const std::vector<double>& sorted,
                    RowMap& map) {
  std::vector<double> least;
  for (std::size_t step = 0; step < num_steps; ++step) {
    const double number = sorted[step * sorted.size() / num_steps];
    if (least.empty() || least.back() < number) least.push_back(number);
  }
  for (std::size_t step = 0; step < least.size(); ++step) {
    const double next = step + 1 < least.size() ? least[step + 1] : sorted.back();
    map.group_names.push_back(fmt::format("{:.6g} to {:.6g}", least[step], next));
  }
  for (const FieldValue& value : values) {
    const double* number = std::get_if<double>(&value);
    map.groups.push_back(
        number == nullptr
            ? no_group
            : static_cast<std::int32_t>(std::ranges::upper_bound(least, *number) - least.begin()) -
                  1);
  }
  map.is_scale = true;
}

std::string word_of(const FieldValue& value) {
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  const std::string* word = std::get_if<std::string>(&value);
  return word == nullptr ? std::string() : *word;
}

/// Returns the words, the most frequent first. Equally frequent words stay in the order in which
/// they first occur.
std::vector<std::string> frequent_words(std::span<const FieldValue> values) {
  std::vector<std::pair<std::string, std::uint64_t>> words;
  std::unordered_map<std::string, std::size_t> places;
  for (const FieldValue& value : values) {
    if (std::holds_alternative<std::monostate>(value)) continue;
    const auto [place, is_new] = places.try_emplace(word_of(value), words.size());
    if (is_new) words.emplace_back(place->first, 0);
    ++words[place->second].second;
  }
  std::ranges::stable_sort(words, std::ranges::greater(),
                           [](const auto& word) { return word.second; });
  std::vector<std::string> names;
  for (auto& [word, count] : words) names.push_back(std::move(word));
  if (names.size() > max_groups) names.resize(max_groups);
  return names;
}

void color_by_words(std::span<const FieldValue> values, std::vector<std::string> names,
                    RowMap& map) {
  std::unordered_map<std::string, std::int32_t> groups;
  for (const std::string& name : names)
    groups.emplace(name, static_cast<std::int32_t>(groups.size()));
  for (const FieldValue& value : values) {
    const auto found =
        std::holds_alternative<std::monostate>(value) ? groups.end() : groups.find(word_of(value));
    map.groups.push_back(found == groups.end() ? no_group : found->second);
  }
  map.group_names = std::move(names);
}

}  // namespace

void color_by_values(std::span<const FieldValue> values, const std::string& name, RowMap& map) {
  const std::vector<FieldValue> known = comparable(values);
  map.groups.clear();
  map.group_names.clear();
  map.grouped_by = name;
  map.is_scale = false;
  const std::vector<double> numbers = numbers_of(known);
  std::vector<double> distinct = numbers;
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  const bool has_words = std::ranges::any_of(
      known, [](const FieldValue& value) { return std::holds_alternative<std::string>(value); });
  if (has_words || distinct.empty()) {
    color_by_words(known, frequent_words(known), map);
  } else if (distinct.size() > max_numbers) {
    color_by_steps(known, numbers, map);
  } else {
    std::vector<std::string> names;
    for (const double number : distinct) names.push_back(fmt::format("{}", number));
    color_by_words(known, std::move(names), map);
  }
}

}  // namespace embd
