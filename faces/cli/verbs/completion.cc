#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/try.h"
#include "embd/version.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/printing.h"

namespace embd::cli {
namespace {

std::vector<std::string> option_names(const Verb& verb) {
  std::vector<std::string> names;
  for (const Option& option : verb.options()) names.push_back(option.display_name());
  return names;
}

std::string bash_script(const std::vector<const Verb*>& verbs) {
  std::string script =
      "_embd() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words=\n"
      "  [[ $verb == model && $COMP_CWORD -gt 2 ]] && verb=\"model ${COMP_WORDS[2]}\"\n"
      "  [[ $COMP_CWORD -eq 1 ]] && verb=\n"
      "  case $verb in\n";
  for (const Verb* verb : verbs) {
    script += fmt::format("    '{}') words='{} {}' ;;\n", verb->words(),
                          fmt::join(verb->verb_names(), " "), fmt::join(option_names(*verb), " "));
  }
  return script +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _embd embd\n";
}

std::string zsh_script(const std::vector<const Verb*>& verbs) {
  return "#compdef embd\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script(verbs);
}

std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish_script(const std::vector<const Verb*>& verbs) {
  std::string script;
  for (const Verb* verb : verbs) {
    const bool is_program = verb->parent() == nullptr;
    if (!is_program && verb->parent()->parent() == nullptr) {
      script += fmt::format("complete -c embd -n __fish_use_subcommand -a {} -d {}\n", verb->name(),
                            fish_quoted(verb->description()));
    }
    const std::string condition =
        is_program ? "__fish_use_subcommand"
                   : fmt::format("'__fish_seen_subcommand_from {}'", verb->name());
    for (const Option& option : verb->options()) {
      script += fmt::format("complete -c embd -n {}", condition);
      if (!option.short_name.empty()) script += fmt::format(" -s {}", option.short_name.substr(1));
      if (!option.name.empty()) script += fmt::format(" -l {}", option.name.substr(2));
      script += fmt::format(" -d {}\n", fish_quoted(option.description));
    }
  }
  return script;
}

}  // namespace

void add_completion(Verb& program) {
  auto shell = std::make_shared<std::string>();
  Verb& verb =
      program.add_verb("completion", "Prints the completion script for bash, zsh or fish",
                       [shell, &program]() -> Result<ExitCode> {
                         const auto verbs = all_verbs(program);
                         EMBD_TRY(print_to_standard_output(*shell == "bash"  ? bash_script(verbs)
                                                           : *shell == "zsh" ? zsh_script(verbs)
                                                                             : fish_script(verbs)));
                         return ExitCode::good;
                       });
  add_choice<std::string>(verb, "SHELL", *shell,
                          {{"bash", "bash"}, {"zsh", "zsh"}, {"fish", "fish"}},
                          "The shell: bash, zsh or fish")
      .required();
}

namespace {

/// Returns a text with escapes, so that roff prints it unchanged.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '-') out += '\\';
    out += c == '\\' ? "\\e" : std::string(1, c);
  }
  return out;
}

void append_positional(const Option& positional, std::string& page) {
  page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(positional.name), roff(positional.description));
}

void append_option(const Option& option, std::string& page) {
  page += ".TP\n";
  for (const std::string& name : {option.short_name, option.name}) {
    if (name.empty()) continue;
    if (!page.ends_with('\n')) page += ", ";
    page += fmt::format("\\fB{}\\fR", roff(name));
  }
  if (!option.value.empty()) page += fmt::format(" \\fI{}\\fR", roff(option.value));
  page += fmt::format("\n{}\n", roff(option.description));
}

void append_verb(const Verb& verb, std::string& page) {
  std::string usage = verb.command();
  for (const Option& positional : verb.positionals())
    usage += positional.is_required ? " " + positional.name : " [" + positional.name + "]";
  page += fmt::format(".SS \"{}\"\n{}.\n", roff(usage), roff(verb.description()));
  for (const Option& positional : verb.positionals()) append_positional(positional, page);
  for (const Option& option : verb.options())
    if (option.name != "--help") append_option(option, page);
}

std::string man_page(const Verb& program) {
  std::string page = fmt::format(
      ".TH EMBD 1 \"\" \"embd {}\"\n"
      ".SH NAME\nembd \\- sentence embeddings\n"
      ".SH SYNOPSIS\n.B embd\n\\fIVERB\\fR [\\fIOPTION\\fR ...] [\\fIARGUMENT\\fR ...]\n"
      ".SH DESCRIPTION\n{}\n.PP\n{}\n"
      ".SH VERBS\n",
      version(), roff(program.description()), roff(program.footer()));
  for (const Verb* verb : all_verbs(program))
    if (verb->parent() != nullptr && verb->verbs().empty()) append_verb(*verb, page);
  return page;
}

}  // namespace

void add_man(Verb& program) {
  program.add_verb("man", "Prints the manual page, for man -l", [&program]() -> Result<ExitCode> {
    EMBD_TRY(print_to_standard_output(man_page(program)));
    return ExitCode::good;
  });
}

}  // namespace embd::cli
