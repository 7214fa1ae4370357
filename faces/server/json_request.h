#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "faces/server/failure.h"

namespace embd::server {

/// A value that gives texts, "a" or ["a", "b"], or the token ids of texts, [1, 2] or [[1, 2], [3]].
struct Inputs {
  std::vector<std::string> texts;
  std::vector<std::vector<std::int32_t>> ids;
  bool single = false;  ///< true for one text that is not in a list: "a" or [1, 2]

  std::size_t size() const noexcept { return texts.size() + ids.size(); }
};

/// A value that gives one vector, [1, 2], or several, [[1, 2], [3, 4]].
using InputVectors = std::vector<std::vector<float>>;

/// The treatment of members of an object whose names are not known.
enum class UnknownMembers : std::uint8_t {
  skipped,  ///< ignored, as clients of other APIs expect
  refused,  ///< an error, because a misspelt name would change the meaning of the request
};

/// A value that gives documents as texts or as objects with a text: ["a", {"text": "b"}].
struct Documents {
  std::vector<std::string> texts;
};

/// A value that gives one group of up to two texts, "a" or ["a", "b"], or several groups, [["a",
/// "b"], ["c", "d"]].
struct TextGroups {
  std::vector<std::vector<std::string>> groups;
  bool single = false;  ///< true for one group that is not in a list of groups
};

/// A value that gives lists of values by name: {"a": "b", "c": [1, true]}, or by the name of a
/// relation below the name: {"a": {"gte": 3, "lt": 5}}. Each value is kept as a text: a string as
/// it is, other values as JSON.
struct NamedValues {
  struct Values {
    std::string name;
    std::string relation;  ///< empty if the request has none
    std::vector<std::string> values = {};
  };
  std::vector<Values> all;
};

struct Field;
using Fields = std::span<const Field>;

/// A value that is an object with known members.
struct Object {
  Fields fields;
  /// If unknown members are refused, so is null, for the object and for its members, because it
  /// would change the meaning of the request, too.
  UnknownMembers unknown = UnknownMembers::skipped;
  bool* given = nullptr;  ///< set to true if the object is present; may be null
};

/// A value that is a list of objects. The members of each object are read into the targets of
/// `fields`; then `take` is called to move the values out. If `take` fails, the request fails, and
/// the failure names the list.
struct Objects {
  Fields fields;
  std::function<Answerable<void>()> take;
};

/// The target of a field that clients send and this server ignores. Any value is accepted.
struct Unused {};

/// The target of a field for something that this server cannot do. Any value but null is refused.
/// The message is the field's name followed by `why`.
struct Refused {
  std::string_view why;
};

/// A field of a request's body, and the target that its value is read into. The target is set if
/// the field is present, even if its value is an empty list. A list of fields may have several
/// fields of one name, for values of different shapes.
struct Field {
  std::string_view name;
  std::variant<std::optional<std::string>*, std::optional<bool>*, std::optional<std::uint64_t>*,
               std::optional<Inputs>*, std::optional<std::vector<std::string>>*,
               std::optional<InputVectors>*, std::optional<Documents>*, std::optional<TextGroups>*,
               std::optional<NamedValues>*, Object, Objects, Unused, Refused>
      target;
};

/// Reads a request's body, a JSON object, into the targets of `fields`. No tree of values is built,
/// so the memory needed is a small multiple of the body's size. A field with the value null counts
/// as absent, except for an Object that refuses unknown members. A whole number in a list of
/// strings becomes a string of its digits.
///
/// Refuses the request with bad_json if the body is not JSON, with invalid for a value of another
/// shape, a field that is present twice or an unknown member that is refused, and with
/// too_many_inputs for a list of more than `max_inputs` items.
Answerable<void> read_json_request(std::string_view body, Fields fields, std::size_t max_inputs,
                                   UnknownMembers unknown = UnknownMembers::skipped);

}  // namespace embd::server
