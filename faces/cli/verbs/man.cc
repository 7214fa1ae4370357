#include <fmt/format.h>

#include "base/try.h"
#include "embd/version.h"
#include "faces/cli/commands.h"
#include "faces/cli/printing.h"

namespace embd::cli {
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
