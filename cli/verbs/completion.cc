#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/options/option_table.h"
#include "cli/options/values.h"
#include "cli/standard_output.h"

namespace embd::cli {
namespace {

std::vector<std::string> option_names(const VerbEntry& entry) {
  std::vector<std::string> names;
  for (const OptionEntry& option : entry.options)
    names.push_back(option.name.empty() ? option.short_name : option.name);
  return names;
}

std::string bash_script(const std::vector<VerbEntry>& entries) {
  std::string script =
      "_embd() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words=\n"
      "  [[ $verb == model && $COMP_CWORD -gt 2 ]] && verb=\"model ${COMP_WORDS[2]}\"\n"
      "  [[ $COMP_CWORD -eq 1 ]] && verb=\n"
      "  case $verb in\n";
  for (const VerbEntry& entry : entries) {
    script += fmt::format("    '{}') words='{} {}' ;;\n", entry.words, fmt::join(entry.verbs, " "),
                          fmt::join(option_names(entry), " "));
  }
  return script +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _embd embd\n";
}

std::string zsh_script(const std::vector<VerbEntry>& entries) {
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

std::string fish_script(const std::vector<VerbEntry>& entries) {
  std::string script;
  for (const VerbEntry& entry : entries) {
    const bool is_verb = !entry.words.empty() && !entry.words.contains(' ');
    if (is_verb) {
      script += fmt::format("complete -c embd -n __fish_use_subcommand -a {} -d {}\n", entry.words,
                            fish_quoted(entry.description));
    }
    for (const OptionEntry& option : entry.options) {
      const std::string condition =
          entry.words.empty() ? "__fish_use_subcommand"
                              : fmt::format("'__fish_seen_subcommand_from {}'",
                                            entry.words.substr(entry.words.rfind(' ') + 1));
      script += fmt::format("complete -c embd -n {}", condition);
      if (!option.short_name.empty()) script += fmt::format(" -s {}", option.short_name.substr(1));
      if (!option.name.empty()) script += fmt::format(" -l {}", option.name.substr(2));
      script += fmt::format(" -d {}\n", fish_quoted(option.description));
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
                     const auto entries = option_table(commands.app());
                     EMBD_TRY(print_to_standard_output(*shell == "bash"  ? bash_script(entries)
                                                       : *shell == "zsh" ? zsh_script(entries)
                                                                         : fish_script(entries)));
                     return ExitCode::good;
                   });
  add_choice<std::string>(verb, "SHELL", *shell,
                          {{"bash", "bash"}, {"zsh", "zsh"}, {"fish", "fish"}}, "Which shell")
      ->required();
}

}  // namespace embd::cli
