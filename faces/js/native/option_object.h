#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/try.h"
#include "jobs/options/option.h"

namespace embd::js {

/// The members of a JSON object with options. Each member may be taken once. Members that are left
/// at the end are errors.
class OptionObject {
 public:
  /// Parses a JSON object. An empty text stands for {}. Fails with bad_json, and with
  /// invalid_argument if the text is not an object.
  static Result<OptionObject> parse(std::string_view text) {
    OptionObject object;
    if (!text.empty()) object.members_ = EMBD_TRY(parse_json(text));
    if (object.members_.is_object()) return object;
    return fail(ErrorCode::invalid_argument, "the options are not a JSON object");
  }

  /// Removes a member and returns its value; null if there is no such member.
  nlohmann::json take(std::string_view name) {
    const auto found = members_.find(name);
    if (found == members_.end()) return nullptr;
    nlohmann::json value = std::move(*found);
    members_.erase(found);
    return value;
  }
  /// Fails with invalid_argument, naming the first member that is left, if there is one.
  Result<void> finish() const {
    if (members_.empty()) return {};
    return fail(ErrorCode::invalid_argument, "no option is named {}", members_.begin().key());
  }

 private:
  nlohmann::json members_ = nlohmann::json::object();
};

inline std::unexpected<Error> not_of_type(std::string_view name, std::string_view expected) {
  return fail(ErrorCode::invalid_argument, "the option {} has a wrong value, expected {}", name,
              expected);
}

template <class Option>
std::vector<std::string_view> words_of(const Option& option) {
  std::vector<std::string_view> words;
  for (const auto& [word, value] : option.words) words.push_back(word);
  return words;
}

/// Reads the value of an option, which may be one of the option's words. Fails with
/// invalid_argument if the value has a wrong type or is out of bounds.
template <class Option, class Value>
Result<void> read_value(const Option& option, const nlohmann::json& json, Value& value) {
  if constexpr (std::same_as<Value, bool>) {
    if (!json.is_boolean()) return not_of_type(option.name, "true or false");
    value = json.get<bool>();
  } else if constexpr (std::is_enum_v<Value>) {
    const auto named = json.is_string() ? option.value_of(json.get_ref<const std::string&>())
                                        : std::optional<Value>();
    if (!named)
      return not_of_type(option.name, fmt::format("{}", fmt::join(words_of(option), ", ")));
    value = *named;
  } else if constexpr (std::integral<Value>) {
    const bool fits = json.is_number_unsigned() && json.get<std::uint64_t>() >= option.least &&
                      json.get<std::uint64_t>() <= option.greatest &&
                      std::in_range<Value>(json.get<std::uint64_t>());
    if (!fits) return not_of_type(option.name, fmt::format("a whole number from {}", option.least));
    value = static_cast<Value>(json.get<std::uint64_t>());
  } else {
    if (!json.is_string()) return not_of_type(option.name, "a string");
    value = Value(json.get_ref<const std::string&>());
  }
  return {};
}

/// Takes a list of whole numbers out of an object; nothing if it has no such member. Fails with
/// invalid_argument for other values.
inline Result<std::optional<std::vector<std::uint64_t>>> take_numbers(OptionObject& object,
                                                                      std::string_view name) {
  const nlohmann::json list = object.take(name);
  if (list.is_null()) return std::nullopt;
  const auto is_number = [](const nlohmann::json& number) { return number.is_number_unsigned(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_number))
    return not_of_type(name, "an array of whole numbers");
  return list.get<std::vector<std::uint64_t>>();
}

/// Takes the options of a structure out of an object, by the names in its list (jobs/options).
/// Fails with invalid_argument for a value that an option does not take.
template <class Options>
Result<Options> take_options(OptionObject& object) {
  Options options;
  Result<void> read;
  for_each_option(options, [&]<class Option, class Value>(const Option& option, Value& value) {
    if (option.name.empty() || !read) return;
    const nlohmann::json json = object.take(option.name);
    if (json.is_null()) return;
    Given<Value> given{};
    read = read_value(option, json, given);
    value = std::move(given);
  });
  if constexpr (requires { options.strict_utf8; }) {
    const nlohmann::json json = object.take("strict_utf8");
    if (json.is_boolean()) options.strict_utf8 = json.get<bool>();
    if (!json.is_boolean() && !json.is_null()) return not_of_type("strict_utf8", "true or false");
  }
  EMBD_TRY(read);
  return options;
}

/// Reads the options of a structure from a JSON object that has no other members. Fails as
/// OptionObject::parse(), take_options() and OptionObject::finish() do.
template <class Options>
Result<Options> read_options(const char* text, std::uint32_t size) {
  OptionObject object = EMBD_TRY(OptionObject::parse({text, size}));
  Options options = EMBD_TRY(take_options<Options>(object));
  EMBD_TRY(object.finish());
  return options;
}

}  // namespace embd::js
