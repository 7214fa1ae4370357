#include "faces/server/json_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/json_text.h"
#include "base/utf8.h"

namespace embd::server {
namespace {

/// The largest depth of nested lists and objects, also in fields that are ignored. No request needs
/// as many.
constexpr std::size_t max_depth = 16;

/// Returns the beginning of a name for a message. A client may send a very long name.
std::string beginning(std::string_view name) {
  return std::string(utf8_prefix(name, 64));
}

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

/// An array or object that is being read. Its kind says what its values mean.
struct Frame {
  enum class Kind : std::uint8_t {
    object,      ///< an object whose members are `object.fields`
    skipped,     ///< the value of a field that is ignored
    inputs,      ///< the list of Inputs
    input_ids,   ///< a list of token ids in the list of Inputs
    strings,     ///< a list of strings
    vectors,     ///< the list of InputVectors
    vector_row,  ///< a vector in the list of InputVectors
    documents,   ///< the list of Documents
    document,    ///< an object in the list of Documents
    groups,      ///< the list of TextGroups
    group,       ///< a group in the list of TextGroups
    objects,     ///< the list of Objects
    named,       ///< the object of NamedValues
    relations,   ///< an object of values by relation in the object of NamedValues
    named_list,  ///< a list of values in either of them
  };
  Kind kind;
  Object object = {};
  std::vector<bool> seen = {};       ///< for each field of an object: true if it was present
  const Objects* objects = nullptr;  ///< the list of objects that this is, or is an item of
  std::string list_name = {};        ///< the name of that list
  std::size_t num_objects = 0;       ///< the number of objects in the list so far
};

class Reader final : public JsonHandler {
 public:
  Reader(const Object& root, std::size_t max_inputs) : root_(root), max_inputs_(max_inputs) {}

  Failure take_failure() { return std::move(*failure_); }

  bool null() override {
    if (frames_.empty()) return expect("an object");
    const Frame::Kind kind = frames_.back().kind;
    if (!has_members(kind) && kind != Frame::Kind::skipped) return expect(in_list_of());
    return takes_null() || expect(wanted(*candidates_.front()));
  }
  bool boolean(bool value) override {
    if (is_named()) return named_value(value ? "true" : "false");
    return scalar([&](auto* target) {
      if constexpr (std::is_same_v<decltype(target), std::optional<bool>*>) {
        *target = value;
        return true;
      } else {
        return false;
      }
    });
  }
  bool number_integer(std::int64_t value) override {
    return is_named() ? named_value(fmt::to_string(value)) : number(value);
  }
  bool number_unsigned(std::uint64_t value) override {
    return is_named() ? named_value(fmt::to_string(value)) : number(value);
  }
  bool number_float(double value, const std::string& digits) override {
    return is_named() ? named_value(digits) : number(value);
  }
  bool string(std::string& value) override;
  bool start_object() override;
  bool key(std::string& name) override;
  bool end_object() override { return end(); }
  bool start_array() override;
  bool end_array() override { return end(); }

 private:
  static bool has_members(Frame::Kind kind) noexcept {
    return kind == Frame::Kind::object || kind == Frame::Kind::document;
  }
  bool fail(Problem problem, std::string message) {
    failure_ = Failure{problem, std::move(message), std::string(name_)};
    return false;
  }
  bool expect(std::string_view what) {
    if (name_.empty()) return fail(Problem::invalid, fmt::format("the body must be {}", what));
    return fail(Problem::invalid, fmt::format("\"{}\" must be {}", name_, what));
  }
  bool too_many() {
    return fail(Problem::too_many_inputs,
                fmt::format("\"{}\" has too many items, expected at most {}", name_, max_inputs_));
  }
  std::string_view in_list_of() const {
    switch (frames_.back().kind) {
      case Frame::Kind::inputs:
        return "a text, a list of texts, token ids or lists of token ids, and not mixed";
      case Frame::Kind::input_ids:
        return "lists of token ids, whole numbers below 2^31";
      case Frame::Kind::vectors:
      case Frame::Kind::vector_row:
        return "a vector or a list of vectors, of numbers that float32 holds";
      case Frame::Kind::documents:
        return wanted_documents;
      case Frame::Kind::groups:
      case Frame::Kind::group:
        return wanted_groups;
      case Frame::Kind::objects:
        return wanted_objects;
      case Frame::Kind::named:
      case Frame::Kind::relations:
      case Frame::Kind::named_list:
        return wanted_named;
      default:
        return "a list of strings";
    }
  }

  static constexpr std::string_view wanted_documents =
      "a list of texts or of objects with a \"text\"";
  static constexpr std::string_view wanted_groups =
      "a text, a pair of texts or a list of pairs, and not mixed";
  static constexpr std::string_view wanted_named =
      "an object whose values are strings, numbers, true, false, lists of these, or objects with "
      "eq, ne, lt, lte, gt or gte";

  static constexpr std::string_view wanted_objects = "a list of objects";

  /// Returns a description of the values that a field takes, for messages.
  static std::string_view wanted(const Field& field) {
    return std::visit(
        Overloaded{
            [](std::optional<std::string>*) { return "a string"; },
            [](std::optional<bool>*) { return "true or false"; },
            [](std::optional<std::uint64_t>*) { return "a whole number of at least 0"; },
            [](std::optional<Inputs>*) {
              return "a text, a list of texts, token ids or lists of token ids, and not mixed";
            },
            [](std::optional<std::vector<std::string>>*) { return "a list of strings"; },
            [](std::optional<InputVectors>*) { return "a vector or a list of vectors"; },
            [](std::optional<Documents>*) { return wanted_documents.data(); },
            [](std::optional<TextGroups>*) { return wanted_groups.data(); },
            [](std::optional<NamedValues>*) { return wanted_named.data(); },
            [](const Object&) { return "an object"; },
            [](const Objects&) { return wanted_objects.data(); },
            [](const Unused&) { return "anything"; },
            [](const Refused& refused) { return refused.why.data(); }},
        field.target);
  }

  /// Reads the value of a field, which is not an item of a list. `take` stores it in a target, and
  /// returns false if the target is of another type.
  template <class Take>
  bool scalar(const Take& take) {
    if (frames_.empty()) return expect("an object");
    const Frame& frame = frames_.back();
    if (frame.kind == Frame::Kind::skipped) return true;
    if (!has_members(frame.kind)) return expect(in_list_of());
    if (candidates_.empty()) return true;  // the field is ignored
    if (is_unused()) return true;
    for (const Field* field : candidates_) {
      const bool taken = std::visit(
          [&](auto target) {
            if constexpr (std::is_pointer_v<decltype(target)>) return take(target);
            return false;
          },
          field->target);
      if (taken) return true;
    }
    return refuse_value();
  }

  /// Returns true if null counts as absent here: if neither the field that is being read nor the
  /// object that it belongs to, unless that is the whole body, is an object that takes no other
  /// members than it knows.
  bool takes_null() const {
    if (candidates_.empty()) return true;
    const auto* object = std::get_if<Object>(&candidates_.front()->target);
    return (object == nullptr || object->unknown == UnknownMembers::skipped) &&
           (frames_.size() == 1 || frames_.back().object.unknown == UnknownMembers::skipped);
  }

  /// Returns true if the field that is being read has the target Unused.
  bool is_unused() const {
    return !candidates_.empty() && std::holds_alternative<Unused>(candidates_.front()->target);
  }
  /// Fails for a value that none of the candidates takes.
  bool refuse_value() {
    if (const auto* refused = std::get_if<Refused>(&candidates_.front()->target))
      return fail(Problem::invalid, fmt::format("\"{}\" {}", name_, refused->why));
    return expect(wanted(*candidates_.front()));
  }

  template <class Number>
  bool number(Number value) {
    if (!frames_.empty()) {
      switch (frames_.back().kind) {
        case Frame::Kind::inputs:
          return first_id(value);
        case Frame::Kind::input_ids:
          return id(value);
        case Frame::Kind::strings:
          if constexpr (std::is_unsigned_v<Number>) return string_item(fmt::to_string(value));
          return expect(in_list_of());
        case Frame::Kind::vectors:
          return first_component(static_cast<double>(value));
        case Frame::Kind::vector_row:
          return component(static_cast<double>(value));
        default:
          break;
      }
    }
    return scalar([&](auto* target) {
      if constexpr (std::is_same_v<decltype(target), std::optional<std::uint64_t>*> &&
                    std::is_unsigned_v<Number>) {
        *target = value;
        return true;
      } else {
        return false;
      }
    });
  }

  /// Reads the first number of a list such as [1, 2]. Only now it is known that the list has the
  /// token ids of one text.
  template <class Number>
  bool first_id(Number value) {
    if (!inputs_->texts.empty() || inputs_->ids.size() > 1) return expect(in_list_of());
    if (inputs_->ids.empty()) {
      inputs_->ids.emplace_back();
      inputs_->single = true;
    }
    return inputs_->single ? id(value) : expect(in_list_of());
  }
  template <class Number>
  bool id(Number value) {
    if constexpr (std::is_unsigned_v<Number>) {
      if (value <= static_cast<Number>(std::numeric_limits<std::int32_t>::max())) {
        inputs_->ids.back().push_back(static_cast<std::int32_t>(value));
        return true;
      }
    }
    return expect("token ids, whole numbers from 0 to 2^31 - 1");
  }

  bool first_component(double value) {
    if (vectors_->empty()) vectors_->emplace_back();
    if (list_of_rows_) return expect(in_list_of());
    return component(value);
  }
  bool component(double value) {
    if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max())))
      return expect(in_list_of());
    vectors_->back().push_back(static_cast<float>(value));
    return true;
  }

  bool string_item(std::string value) {
    if (strings_->size() == max_inputs_) return too_many();
    strings_->push_back(std::move(value));
    return true;
  }

  /// Returns true for a value, or an item of a value, of NamedValues.
  bool is_named() const {
    return !frames_.empty() && (frames_.back().kind == Frame::Kind::named ||
                                frames_.back().kind == Frame::Kind::relations ||
                                frames_.back().kind == Frame::Kind::named_list);
  }
  bool named_value(std::string value) {
    if (num_named_++ == max_inputs_) return too_many();
    named_->all.back().values.push_back(std::move(value));
    return true;
  }
  /// Adds an empty list of values for a name, or for a relation below it. If the list before has no
  /// relation yet, because the value of its name is an object, it gets this one.
  bool add_name(std::string name, std::string relation) {
    std::vector<NamedValues::Values>& all = named_->all;
    if (all.size() == max_inputs_) return too_many();
    for (const auto& other : all)
      if (other.name == name && (relation.empty() || other.relation == relation))
        return fail(Problem::invalid, fmt::format("\"{}\" occurs twice, expected once",
                                                  beginning(relation.empty() ? name : relation)));
    if (!relation.empty() && all.back().relation.empty())
      all.back().relation = std::move(relation);
    else
      all.push_back({std::move(name), std::move(relation)});
    return true;
  }

  bool document(std::string text) {
    if (documents_->texts.size() == max_inputs_) return too_many();
    documents_->texts.push_back(std::move(text));
    return true;
  }
  /// Appends the text of the object that has been read to the documents.
  bool take_document() {
    name_ = documents_name_;
    if (!document_text_) return expect(wanted_documents);
    return document(std::move(*std::exchange(document_text_, std::nullopt)));
  }
  bool group_item(std::string text) {
    std::vector<std::string>& group = groups_->groups.back();
    if (group.size() == 2) return expect(wanted_groups);
    group.push_back(std::move(text));
    return true;
  }
  /// Reads the first text of a list such as ["a", "b"]. Only now it is known that the list is a
  /// single group.
  bool first_of_group(std::string text) {
    if (!groups_->single && !groups_->groups.empty()) return expect(in_list_of());
    if (groups_->groups.empty()) groups_->groups.emplace_back();
    groups_->single = true;
    return group_item(std::move(text));
  }

  bool push(Frame frame) {
    if (frames_.size() == max_depth)
      return fail(
          Problem::bad_json,
          fmt::format("the body is nested too deeply, expected at most {} levels", max_depth));
    frames_.push_back(std::move(frame));
    return true;
  }
  bool push_object(const Object& object) {
    candidates_.clear();
    if (object.given != nullptr) *object.given = true;
    return push({Frame::Kind::object, object, std::vector<bool>(object.fields.size())});
  }
  bool push_item(Frame& list);
  bool take_item();
  bool refuse_member(std::string_view name, const Object& object);
  bool end() {
    if (frames_.back().kind == Frame::Kind::document && !take_document()) return false;
    if (frames_.back().kind == Frame::Kind::object && !take_item()) return false;
    if (frames_.back().kind == Frame::Kind::relations && named_->all.back().relation.empty())
      return expect(in_list_of());
    frames_.pop_back();
    candidates_.clear();
    return true;
  }

  Object root_;
  std::size_t max_inputs_;
  std::vector<Frame> frames_;
  std::string name_;                      ///< the name of the field that is being read
  std::vector<const Field*> candidates_;  ///< the fields with this name
  std::optional<Failure> failure_;

  // The destination of the list that is being read.
  Inputs* inputs_ = nullptr;
  std::vector<std::string>* strings_ = nullptr;
  InputVectors* vectors_ = nullptr;
  Documents* documents_ = nullptr;
  std::optional<std::string> document_text_;  ///< the text of the object that is being read
  std::string documents_name_;
  const Field document_fields_[1] = {{"text", &document_text_}};
  TextGroups* groups_ = nullptr;
  NamedValues* named_ = nullptr;
  std::size_t num_named_ = 0;
  bool list_of_rows_ = false;
};

bool Reader::string(std::string& value) {
  if (!frames_.empty()) {
    if (frames_.back().kind == Frame::Kind::inputs) {
      if (!inputs_->ids.empty()) return expect(in_list_of());
      if (inputs_->texts.size() == max_inputs_) return too_many();
      inputs_->texts.push_back(std::move(value));
      return true;
    }
    if (frames_.back().kind == Frame::Kind::strings) return string_item(std::move(value));
    if (frames_.back().kind == Frame::Kind::documents) return document(std::move(value));
    if (frames_.back().kind == Frame::Kind::groups) return first_of_group(std::move(value));
    if (frames_.back().kind == Frame::Kind::group) return group_item(std::move(value));
    if (is_named()) return named_value(std::move(value));
  }
  return scalar([&](auto* target) {
    using Target = std::remove_pointer_t<decltype(target)>;
    if constexpr (std::is_same_v<Target, std::optional<std::string>>) {
      *target = std::move(value);
      return true;
    } else if constexpr (std::is_same_v<Target, std::optional<Inputs>>) {
      target->emplace().single = true;
      (*target)->texts.push_back(std::move(value));
      return true;
    } else if constexpr (std::is_same_v<Target, std::optional<TextGroups>>) {
      target->emplace().single = true;
      (*target)->groups.push_back({std::move(value)});
      return true;
    } else {
      return false;
    }
  });
}

bool Reader::key(std::string& name) {
  Frame& frame = frames_.back();
  candidates_.clear();
  if (frame.kind == Frame::Kind::named) return add_name(std::move(name), {});
  if (frame.kind == Frame::Kind::relations)
    return add_name(std::string(named_->all.back().name), std::move(name));
  if (!has_members(frame.kind)) return true;
  const Fields fields = frame.object.fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name != name) continue;
    name_ = fields[i].name;
    if (frame.seen[i])
      return fail(Problem::invalid, fmt::format("\"{}\" occurs twice, expected once", name_));
    frame.seen[i] = true;
    candidates_.push_back(&fields[i]);
  }
  const bool is_unknown = candidates_.empty();
  if (is_unknown && frame.object.unknown == UnknownMembers::refused)
    return refuse_member(name, frame.object);
  return true;
}

bool Reader::refuse_member(std::string_view name, const Object& object) {
  std::string known;
  for (const Field& field : object.fields)
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", field.name);
  name_ = beginning(name);
  return fail(Problem::invalid,
              fmt::format("there is no field \"{}\" here, expected one of {}", name_, known));
}

/// Begins an object that is an item of a list of objects.
bool Reader::push_item(Frame& list) {
  if (list.num_objects++ == max_inputs_) return too_many();
  const Object object = {.fields = list.objects->fields};
  candidates_.clear();
  return push({.kind = Frame::Kind::object,
               .object = object,
               .seen = std::vector<bool>(object.fields.size()),
               .objects = list.objects,
               .list_name = list.list_name});
}

/// Ends an object. If it is an item of a list of objects, the list takes its values.
bool Reader::take_item() {
  const Frame& item = frames_.back();
  if (item.objects == nullptr) return true;
  const auto taken = item.objects->take();
  if (taken) return true;
  failure_ = taken.error();
  if (failure_->param.empty()) failure_->param = item.list_name;
  return false;
}

bool Reader::start_object() {
  if (frames_.empty()) return push_object(root_);
  const Frame::Kind kind = frames_.back().kind;
  if (kind == Frame::Kind::skipped || (has_members(kind) && (candidates_.empty() || is_unused())))
    return push({Frame::Kind::skipped});
  if (kind == Frame::Kind::objects) return push_item(frames_.back());
  if (kind == Frame::Kind::named) return push({Frame::Kind::relations});
  if (kind == Frame::Kind::documents) {
    candidates_.clear();
    return push({Frame::Kind::document, {.fields = document_fields_}, std::vector<bool>(1)});
  }
  if (!has_members(kind)) return expect(in_list_of());
  for (const Field* field : candidates_) {
    if (const auto* object = std::get_if<Object>(&field->target)) return push_object(*object);
    if (auto* const* named = std::get_if<std::optional<NamedValues>*>(&field->target)) {
      named_ = &(*named)->emplace();
      return push({Frame::Kind::named});
    }
  }
  return refuse_value();
}

bool Reader::start_array() {
  if (frames_.empty()) return expect("an object");
  const Frame::Kind kind = frames_.back().kind;
  if (kind == Frame::Kind::skipped || (has_members(kind) && (candidates_.empty() || is_unused())))
    return push({Frame::Kind::skipped});
  if (kind == Frame::Kind::groups) {
    if (groups_->single) return expect(in_list_of());
    if (groups_->groups.size() == max_inputs_) return too_many();
    groups_->groups.emplace_back();
    return push({Frame::Kind::group});
  }
  if (kind == Frame::Kind::inputs) {
    if (!inputs_->texts.empty() || inputs_->single) return expect(in_list_of());
    if (inputs_->ids.size() == max_inputs_) return too_many();
    inputs_->ids.emplace_back();
    return push({Frame::Kind::input_ids});
  }
  if (kind == Frame::Kind::vectors) {
    if (!list_of_rows_ && !vectors_->empty()) return expect(in_list_of());
    if (vectors_->size() == max_inputs_) return too_many();
    list_of_rows_ = true;
    vectors_->emplace_back();
    return push({Frame::Kind::vector_row});
  }
  if (kind == Frame::Kind::named || kind == Frame::Kind::relations)
    return push({Frame::Kind::named_list});
  if (!has_members(kind)) return expect(in_list_of());
  for (const Field* field : candidates_) {
    if (auto* const* inputs = std::get_if<std::optional<Inputs>*>(&field->target)) {
      inputs_ = &(*inputs)->emplace();
      return push({Frame::Kind::inputs});
    }
    if (auto* const* strings =
            std::get_if<std::optional<std::vector<std::string>>*>(&field->target)) {
      strings_ = &(*strings)->emplace();
      return push({Frame::Kind::strings});
    }
    if (auto* const* vectors = std::get_if<std::optional<InputVectors>*>(&field->target)) {
      vectors_ = &(*vectors)->emplace();
      list_of_rows_ = false;
      return push({Frame::Kind::vectors});
    }
    if (auto* const* documents = std::get_if<std::optional<Documents>*>(&field->target)) {
      documents_ = &(*documents)->emplace();
      documents_name_ = field->name;
      return push({Frame::Kind::documents});
    }
    if (auto* const* groups = std::get_if<std::optional<TextGroups>*>(&field->target)) {
      groups_ = &(*groups)->emplace();
      return push({Frame::Kind::groups});
    }
    if (const auto* objects = std::get_if<Objects>(&field->target))
      return push({.kind = Frame::Kind::objects, .objects = objects, .list_name = name_});
  }
  return refuse_value();
}

}  // namespace

Answerable<void> read_json_request(std::string_view body, Fields fields, std::size_t max_inputs,
                                   UnknownMembers unknown) {
  Reader reader({.fields = fields, .unknown = unknown}, max_inputs);
  const auto read = read_json(body, reader);
  if (!read)
    return std::unexpected(Failure{
        Problem::bad_json,
        fmt::format("the body is not JSON: byte {}: {}", read.error().at + 1, read.error().what)});
  if (!*read) return std::unexpected(reader.take_failure());
  return {};
}

}  // namespace embd::server
