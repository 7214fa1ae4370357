#include "faces/cli/options/listed_options.h"

namespace embd::cli {

std::string dashed(std::string_view name) {
  std::string option = "--" + std::string(name);
  std::ranges::replace(option, '_', '-');
  return option;
}

Result<char> parse_character(const std::string& text) {
  if (text != "tab" && text.size() != 1) return unexpected_value(text, "one character, or tab");
  return text == "tab" ? '\t' : text[0];
}

Result<InputPart> parse_part(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return unexpected_value(text, "I/N, such as 0/4");
  const std::uint64_t count = EMBD_TRY(parse_number(text.substr(slash + 1), 1, UINT64_MAX));
  const std::uint64_t index = EMBD_TRY(parse_number(text.substr(0, slash), 0, count - 1));
  return InputPart{index, count};
}

}  // namespace embd::cli
