#include "base/json.h"

#include <fmt/format.h>

#include <new>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/try.h"

namespace embd {
namespace {

/// Builds the tree of a text. A name that an object has twice is noticed when it is added, because
/// the parser of nlohmann-json keeps the last value without a word, and looks through all members
/// of an object for each if it is given a callback.
template <class Json>
class TreeBuilder final : public JsonHandler {
 public:
  explicit TreeBuilder(NameTwice rule) : rule_(rule) {}
  Json take_root() { return std::move(root_); }
  const std::optional<std::string>& name_twice() const noexcept { return name_twice_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& /*digits*/) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool start_object() override { return open(Json::object()); }
  bool key(std::string& name) override {
    auto& members = *open_.back()->template get_ptr<typename Json::object_t*>();
    if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) {
      // The object is a list, and would be searched from its beginning for each name.
      if (!names_.back().insert(name).second) return name_twice_ = std::move(name), false;
      member_ = &members.emplace_back(std::move(name), Json()).second;
    } else {
      const auto [member, is_new] = members.try_emplace(std::move(name));
      if (!is_new && rule_ == NameTwice::refused) return name_twice_ = member->first, false;
      member_ = &member->second;
    }
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array() override { return open(Json::array()); }
  bool end_array() override { return close(); }

 private:
  bool add(Json value) {
    put(std::move(value));
    return true;
  }
  /// Adds a value to the innermost array or object. Returns its place, which is valid until that
  /// array gets another value.
  Json* put(Json value) {
    Json* place = &root_;
    if (!open_.empty()) {
      if (auto* items = open_.back()->template get_ptr<typename Json::array_t*>()) {
        items->push_back(std::move(value));
        return &items->back();
      }
      place = member_;
    }
    *place = std::move(value);
    return place;
  }
  bool open(Json empty) {
    open_.push_back(put(std::move(empty)));
    names_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    names_.pop_back();
    return true;
  }

  const NameTwice rule_;
  Json root_;
  std::vector<Json*> open_;                   // the arrays and objects around the next value
  Json* member_ = nullptr;                    // the value of the name that was read last
  std::vector<std::set<std::string>> names_;  // of each of `open_`, if it does not sort them
  std::optional<std::string> name_twice_;
};

template <class Json>
Result<Json> parse(std::string_view text, std::uint64_t text_at, int max_depth, NameTwice rule) {
  const auto refuse = [text_at](ErrorCode code, std::string what, std::size_t at) {
    return fail_at(text_at + at, code, std::move(what));
  };
  try {
    TreeBuilder<Json> builder(rule);
    auto read = read_json(text, builder, max_depth);
    if (!read) return refuse(read.error().code, std::move(read.error().what), read.error().at);
    if (*read) return builder.take_root();
    constexpr std::size_t most_bytes = 80;
    return refuse(ErrorCode::duplicate,
                  fmt::format("key {:?}", builder.name_twice()->substr(0, most_bytes)), 0);
  } catch (const std::bad_alloc&) {
    return refuse(ErrorCode::out_of_memory, "there is not enough memory for the JSON", 0);
  }
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, std::uint64_t text_at, int max_depth,
                                  NameTwice name_twice) {
  return parse<nlohmann::json>(text, text_at, max_depth, name_twice);
}

Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text) {
  return parse<nlohmann::ordered_json>(text, 0, max_json_depth, NameTwice::refused);
}

std::string text_member(const nlohmann::json& object, std::string_view name) {
  const auto found = object.find(std::string(name));
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace embd
