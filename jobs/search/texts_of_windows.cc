#include "jobs/search/texts_of_windows.h"

#include <fmt/format.h>

#include <charconv>

#include "base/try.h"
#include "jobs/recipe_check.h"

namespace embd {

TextsOfWindows::TextsOfWindows(const Ids& ids, const Recipe& recipe, const Model* model)
    : ids_(ids), model_(model) {
  if (model != nullptr) options_ = options_of(recipe, {}, *model);
}

std::string_view TextsOfWindows::id(std::uint64_t row) const {
  const auto* strings = std::get_if<std::vector<std::string>>(&ids_);
  return strings == nullptr ? std::string_view() : std::string_view((*strings)[row]);
}

std::string_view TextsOfWindows::text_key(std::uint64_t row) const {
  const std::string_view id = this->id(row);
  return id.substr(0, id.rfind('#'));
}

Result<void> TextsOfWindows::cut(std::string_view text) {
  if (text == text_ && !windows_.empty()) return {};
  windows_ = EMBD_TRY(model_->windows(text, options_));
  text_ = text;
  return {};
}

Result<std::string_view> TextsOfWindows::part_of(std::string_view text, std::uint64_t row) {
  if (model_ == nullptr) return text;
  const std::string_view id = this->id(row);
  std::size_t number = 0;
  std::from_chars(id.data() + text_key(row).size() + 1, id.data() + id.size(), number);
  EMBD_TRY(cut(text));
  if (number == 0 || number > windows_.size()) {
    return fail(ErrorCode::recipe_mismatch,
                fmt::format("the text has {} windows, so the row {:?} cannot be one of them: the "
                            "vectors were made from another text",
                            windows_.size(), id));
  }
  const ByteRange& bytes = windows_[number - 1].place->bytes;
  return text.substr(bytes.begin, bytes.end - bytes.begin);
}

}  // namespace embd
