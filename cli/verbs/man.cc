#include <fmt/format.h>

#include "base/try.h"
#include "cli/commands.h"
#include "cli/options/option_table.h"
#include "cli/standard_output.h"
#include "embd/version.h"

namespace embd::cli {
namespace {

/// Text as roff prints it unchanged.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '-') out += '\\';
    out += c == '\\' ? "\\e" : std::string(1, c);
  }
  return out;
}

void append_option(const OptionEntry& option, std::string& page) {
  page += ".TP\n";
  for (const std::string& name : {option.short_name, option.name}) {
    if (name.empty()) continue;
    if (!page.ends_with('\n')) page += ", ";
    page += fmt::format("\\fB{}\\fR", roff(name));
  }
  if (!option.value.empty()) page += fmt::format(" \\fI{}\\fR", roff(option.value));
  page += fmt::format("\n{}\n", roff(option.description));
}

void append_verb(const VerbEntry& verb, std::string& page) {
  std::string usage = "embd " + verb.words;
  for (const OptionEntry& positional : verb.positionals)
    usage += positional.is_required ? " " + positional.name : " [" + positional.name + "]";
  page += fmt::format(".SS \"{}\"\n{}.\n", roff(usage), roff(verb.description));
  for (const OptionEntry& positional : verb.positionals) append_option(positional, page);
  for (const OptionEntry& option : verb.options)
    if (option.name != "--help") append_option(option, page);
}

std::string man_page(const CLI::App& app) {
  std::string page = fmt::format(
      ".TH EMBD 1 \"\" \"embd {}\"\n"
      ".SH NAME\nembd \\- sentence embeddings\n"
      ".SH SYNOPSIS\n.B embd\n\\fIVERB\\fR [\\fIOPTION\\fR ...] [\\fIARGUMENT\\fR ...]\n"
      ".SH DESCRIPTION\n{}\n.PP\n{}\n"
      ".SH VERBS\n",
      version(), roff(app.get_description()), roff(app.get_footer()));
  for (const VerbEntry& verb : option_table(app))
    if (!verb.words.empty() && verb.verbs.empty()) append_verb(verb, page);
  return page;
}

}  // namespace

void add_man(Commands& commands) {
  commands.add(commands.app(), "man", "Prints the manual page, for man -l",
               [&commands]() -> Result<ExitCode> {
                 EMBD_TRY(print_to_standard_output(man_page(commands.app())));
                 return ExitCode::good;
               });
}

}  // namespace embd::cli
