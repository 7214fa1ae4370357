#include "faces/cli/printing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/try.h"

namespace embd::cli {
namespace {

/// Returns the number of bytes of the control character at the beginning of `text`, in UTF-8: 2 for
/// U+0080 to U+009F, 1 for others, 0 if there is none.
std::size_t control_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  return byte(0) == 0xc2 && text.size() > 1 && byte(1) >= 0x80 && byte(1) < 0xa0 ? 2 : 0;
}

std::string escape_of(unsigned char control) {
  switch (control) {
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    default:
      return fmt::format("\\x{:02x}", control);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = control_bytes(text);
    if (bytes == 0) {
      shown += text.front();
      text.remove_prefix(1);
    } else {
      shown += escape_of(static_cast<unsigned char>(text[bytes - 1]));
      text.remove_prefix(bytes);
    }
  }
  return shown;
}

void print_to_standard_error(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);  // Wine's C library keeps the text until the program ends.
}

Result<StandardOutput> StandardOutput::open() {
  return StandardOutput(EMBD_TRY(OutputFile::standard_output()));
}

Result<void> print_to_standard_output(std::string_view text) {
  StandardOutput out = EMBD_TRY(StandardOutput::open());
  EMBD_TRY(out.print(text));
  return out.finish();
}

namespace {

using Json = nlohmann::ordered_json;

std::string value_text(const Json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  if (value.is_null()) return "none";
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Returns true for the description of a tensor. Models have many of them, so each is shown in one
/// line.
bool is_tensor(const Json& value) {
  return value.is_object() && value.contains("name") && value.contains("type") &&
         value.contains("shape");
}

void append_lines(const Json& object, const std::string& indent, std::string& out) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object() && !value.empty()) {
      out += fmt::format("{}{}:\n", indent, printable(name));
      append_lines(value, indent + "  ", out);
    } else if (value.is_array() && !value.empty() && std::ranges::all_of(value, is_tensor)) {
      out += fmt::format("{}{}: {}\n", indent, printable(name), value.size());
      for (const Json& tensor : value) {
        out += fmt::format("{}  {} {} {}\n", indent, value_text(tensor["name"]),
                           value_text(tensor["type"]), value_text(tensor["shape"]));
      }
    } else {
      out += fmt::format("{}{}: {}\n", indent, printable(name), value_text(value));
    }
  }
}

}  // namespace

std::string as_lines(std::string_view json) {
  std::string out;
  append_lines(parse_ordered_json(json).value(), "", out);
  return out;
}

}  // namespace embd::cli
