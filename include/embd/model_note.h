#pragma once

#include <cstdint>
#include <string>

#include "embd/enum_names.h"

namespace embd {

/// The subject of a note about a model.
enum class NoteKind : std::uint8_t {
  /// The folder does not say how vectors are made of the tokens' rows. The mean is taken.
  assumed_pooling,
  /// Models of this family expect prompts before texts, but the configuration names none.
  missing_prompts,
  /// Opening took more than a second, because a folder was converted.
  slow_opening,
};
/// The words for the subjects in Python.
inline constexpr EnumNames<NoteKind, 3> note_kind_names = {
    {{"assumed_pooling", NoteKind::assumed_pooling},
     {"missing_prompts", NoteKind::missing_prompts},
     {"slow_opening", NoteKind::slow_opening}}};

/// Something that a user should know about a model that was opened, although it is no error.
struct ModelNote {
  NoteKind kind = NoteKind::assumed_pooling;
  std::string text;  ///< A sentence without a full stop.

  bool operator==(const ModelNote&) const = default;
};

}  // namespace embd
