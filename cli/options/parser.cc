#include "cli/options/arguments.h"

#include <cctype>

namespace embd::cli {
namespace {

constexpr char mark = '\x1f';

std::string unprotect(std::string value) {
  if (value.starts_with(mark)) value.erase(0, 1);
  return value;
}

/// What a shell makes of a variable that is not set names no file, format or number.
std::string not_empty(const std::string& value) {
  return value.empty() ? "is empty" : "";
}

}  // namespace

std::string environment_name(const std::string& long_option) {
  std::string name = "EMBD_";
  for (const char c : long_option)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

void finish_options(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const auto& names = option->get_lnames();
    if (!names.empty() && names.front() != "help" && names.front() != "version")
      option->envname(environment_name(names.front()));
    if (option->get_items_expected_max() == 0) continue;
    option->transform(unprotect);
    const bool is_text = option->get_type_name() == "TEXT" || option->get_single_name() == "TEXT";
    if (!is_text) option->check(not_empty);
  }
  for (CLI::App* verb : app.get_subcommands({})) finish_options(*verb);
}

std::vector<std::string> protected_arguments(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string argument = argv[i];
    const bool is_list = argument.starts_with('[') && argument.ends_with(']');
    if (is_list || argument == "++") argument.insert(0, 1, mark);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace embd::cli
