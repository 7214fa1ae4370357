#include "formats/weights/huggingface/model_card.h"

#include <algorithm>
#include <string_view>

#include "base/bytes.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/paths.h"

namespace embd::huggingface {
namespace {

namespace fs = std::filesystem;

/// The size of the beginning of a card that is read.
constexpr std::size_t max_card_bytes = std::size_t{1} << 20;
constexpr std::string_view metadata_mark = "---";

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\"'";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  const std::size_t end = text.find_last_not_of(blanks) + 1;
  return text.substr(begin, std::max(begin, end) - begin);
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Adds the values of base_model, and the name of the model in its index of results, from the
/// metadata of a card, which are YAML. Whatever is not understood is passed over.
void add_stated_names(std::string_view& card, std::vector<std::string>& names) {
  std::string_view key;
  while (!card.empty()) {
    std::string_view line = take_line(card);
    if (without_blanks(line) == metadata_mark) return;
    if (line.starts_with(' ') || line.starts_with('-')) {
      std::string_view item = without_blanks(line);
      if (!item.starts_with("- ")) continue;
      item = without_blanks(item.substr(2));
      constexpr std::string_view name_key = "name:";
      if (key == "base_model") names.emplace_back(item);
      if (key == "model-index" && item.starts_with(name_key) && !line.starts_with("  "))
        names.emplace_back(without_blanks(item.substr(name_key.size())));
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    key = line.substr(0, colon);
    const std::string_view value = without_blanks(line.substr(std::min(colon + 1, line.size())));
    if (key == "base_model" && !value.empty()) names.emplace_back(value);
  }
}

void add_names_of_card(std::string_view card, std::vector<std::string>& names) {
  std::string_view rest = card;
  if (without_blanks(take_line(rest)) == metadata_mark) {
    card = rest;
    add_stated_names(card, names);
  }
  while (!card.empty()) {
    const std::string_view line = take_line(card);
    if (!line.starts_with('#')) continue;
    names.emplace_back(without_blanks(line.substr(std::min(line.find(' '), line.size()))));
    return;
  }
}

}  // namespace

std::vector<std::string> names_of_folder(const fs::path& folder) {
  const fs::path path = without_trailing_slash(folder);
  std::vector<std::string> names = {text_of_path(path.filename())};
  // A cache of the hub has models--ORGANIZATION--NAME/snapshots/COMMIT.
  if (path.parent_path().filename() == "snapshots")
    names.push_back(text_of_path(path.parent_path().parent_path().filename()));
  if (const auto card = MappedFile::open(folder / "README.md")) {
    const std::string_view text = as_text(card->bytes());
    add_names_of_card(text.substr(0, std::min(text.size(), max_card_bytes)), names);
  }
  return names;
}

}  // namespace embd::huggingface
