#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "server/failure.h"

namespace embd::server {

/// "a", ["a", "b"], [1, 2] or [[1, 2], [3]]: texts, or the token ids of texts.
struct Inputs {
  std::vector<std::string> texts;
  std::vector<std::vector<std::int32_t>> ids;
  bool single = false;  ///< one text that stood outside of any array

  std::size_t size() const noexcept { return texts.size() + ids.size(); }
};

/// One vector or several: [1, 2] or [[1, 2], [3, 4]].
using InputVectors = std::vector<std::vector<float>>;

/// The treatment of a member whose name no field has.
enum class UnknownMembers : std::uint8_t {
  skipped,  ///< as clients of other makers' APIs expect
  refused,  ///< where a name that is misspelt would change what the request means
};

/// ["a", {"text": "b"}]: texts, some of them in an object.
struct Documents {
  std::vector<std::string> texts;
};

/// "a", ["a", "b"] or [["a", "b"], ["c", "d"]]: a group of up to two texts, or several groups.
struct TextGroups {
  std::vector<std::vector<std::string>> groups;
  bool single = false;  ///< one group that stood outside of any other array
};

/// {"a": "b", "c": [1, true]}: values by name, each as the text that stands for it; a string as it
/// is, all else as its JSON.
struct NamedValues {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
};

struct Field;
using Fields = std::span<const Field>;

/// The members of an object.
struct Object {
  Fields fields;
  UnknownMembers unknown = UnknownMembers::skipped;
  bool* given = nullptr;  ///< set to true where the object is there; may be null
};

/// A list of objects: `fields` are those of each, and `take` is called at the end of each, to move
/// out what they hold. A failure of `take` is that of the request, of the list's name.
struct Objects {
  Fields fields;
  std::function<Answerable<void>()> take;
};

/// A field that clients send and that changes nothing here: any value.
struct Unused {};

/// A field that asks for what there is not: any value but null is refused. `why` follows the
/// field's name in the message.
struct Refused {
  std::string_view why;
};

/// A field of a request's body and what its value is put into, which is set where the field is
/// there, if only to an empty list. A name may stand more than once in a list of fields, for values
/// of other shapes.
struct Field {
  std::string_view name;
  std::variant<std::optional<std::string>*, std::optional<bool>*, std::optional<std::uint64_t>*,
               std::optional<Inputs>*, std::optional<std::vector<std::string>>*,
               std::optional<InputVectors>*, std::optional<Documents>*, std::optional<TextGroups>*,
               std::optional<NamedValues>*, Object, Objects, Unused, Refused>
      target;
};

/// Reads a body, a JSON object, into the targets of its fields, without a tree in between: memory
/// is a small multiple of the body. Null is as good as absent. A number in a list of strings
/// becomes its digits. Errors: bad_json for what is no JSON, invalid for a value of another shape,
/// a field that is there twice and a member that is refused, too_many_inputs for a list of more
/// than `max_inputs`.
Answerable<void> read_json_request(std::string_view body, Fields fields, std::size_t max_inputs,
                                   UnknownMembers unknown = UnknownMembers::skipped);

}  // namespace embd::server
