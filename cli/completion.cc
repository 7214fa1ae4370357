#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/standard_output.h"

namespace embd::cli {
namespace {

/// A verb with the words that open it ("model convert") and its long options.
struct Entry {
  std::string words;
  std::string description;
  std::vector<std::pair<std::string, std::string>> options;  // with the dashes, description
  std::vector<std::string> verbs;                            // under it
};

void collect(const CLI::App& app, const std::string& words, std::vector<Entry>& entries) {
  Entry entry = {.words = words, .description = app.get_description()};
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      entry.options.emplace_back("--" + name, option->get_description());
  for (const CLI::App* verb : app.get_subcommands({})) entry.verbs.push_back(verb->get_name());
  entries.push_back(std::move(entry));
  for (const CLI::App* verb : app.get_subcommands({}))
    collect(*verb, words.empty() ? verb->get_name() : words + " " + verb->get_name(), entries);
}

std::vector<std::string> option_names(const Entry& entry) {
  std::vector<std::string> names;
  for (const auto& [name, description] : entry.options) names.push_back(name);
  return names;
}

std::string bash_script(const std::vector<Entry>& entries) {
  std::string script =
      "_embd() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words=\n"
      "  [[ $verb == model && $COMP_CWORD -gt 2 ]] && verb=\"model ${COMP_WORDS[2]}\"\n"
      "  [[ $COMP_CWORD -eq 1 ]] && verb=\n"
      "  case $verb in\n";
  for (const Entry& entry : entries) {
    script += fmt::format("    '{}') words='{} {}' ;;\n", entry.words, fmt::join(entry.verbs, " "),
                          fmt::join(option_names(entry), " "));
  }
  return script +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _embd embd\n";
}

std::string zsh_script(const std::vector<Entry>& entries) {
  return "#compdef embd\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(entries);
}

std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish_script(const std::vector<Entry>& entries) {
  std::string script;
  for (const Entry& entry : entries) {
    const bool is_verb = !entry.words.empty() && !entry.words.contains(' ');
    if (is_verb) {
      script += fmt::format("complete -c embd -n __fish_use_subcommand -a {} -d {}\n", entry.words,
                            fish_quoted(entry.description));
    }
    for (const auto& [name, description] : entry.options) {
      const std::string condition =
          entry.words.empty() ? "__fish_use_subcommand"
                              : fmt::format("'__fish_seen_subcommand_from {}'",
                                            entry.words.substr(entry.words.rfind(' ') + 1));
      script += fmt::format("complete -c embd -n {} -l {} -d {}\n", condition, name.substr(2),
                            fish_quoted(description));
    }
  }
  return script;
}

}  // namespace

void add_completion(Commands& commands) {
  auto shell = std::make_shared<std::string>();
  CLI::App& verb =
      commands.add(commands.app(), "completion", "Prints the completion script of a shell",
                   [shell, &commands]() -> Result<ExitCode> {
                     std::vector<Entry> entries;
                     collect(commands.app(), "", entries);
                     EMBD_TRY(print_to_standard_output(*shell == "bash"  ? bash_script(entries)
                                                       : *shell == "zsh" ? zsh_script(entries)
                                                                         : fish_script(entries)));
                     return ExitCode::good;
                   });
  verb.add_option("SHELL", *shell, "Which shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("bash|zsh|fish");
}

}  // namespace embd::cli
