#include "cli/options/option_table.h"

namespace embd::cli {
namespace {

/// What an option takes, "N"; empty for a flag.
std::string value_of(const CLI::Option& option) {
  return option.get_items_expected_max() == 0 ? "" : option.get_type_name();
}

OptionEntry entry_of(const CLI::Option& option) {
  OptionEntry entry = {.description = option.get_description(),
                       .is_required = option.get_required()};
  if (!option.get_snames().empty()) entry.short_name = "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) entry.name = "--" + option.get_lnames().front();
  if (option.get_positional())
    entry.name = option.get_name(true);
  else
    entry.value = value_of(option);
  return entry;
}

void collect(const CLI::App& app, const std::string& words, std::vector<VerbEntry>& entries) {
  VerbEntry entry = {.words = words, .description = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    auto& list = option->get_positional() ? entry.positionals : entry.options;
    list.push_back(entry_of(*option));
  }
  const auto verbs = app.get_subcommands({});
  for (const CLI::App* verb : verbs) entry.verbs.push_back(verb->get_name());
  entries.push_back(std::move(entry));
  for (const CLI::App* verb : verbs)
    collect(*verb, words.empty() ? verb->get_name() : words + " " + verb->get_name(), entries);
}

/// The words that open the verb; none of the program itself.
std::string words_of(const CLI::App& app) {
  if (app.get_parent() == nullptr) return {};
  const std::string before = words_of(*app.get_parent());
  return before.empty() ? app.get_name() : before + " " + app.get_name();
}

}  // namespace

std::vector<VerbEntry> option_table(const CLI::App& app) {
  std::vector<VerbEntry> entries;
  collect(app, words_of(app), entries);
  return entries;
}

}  // namespace embd::cli
