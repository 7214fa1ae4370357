#include "faces/cli/options/parser.h"

#include <CLI/CLI.hpp>
#include <cctype>
#include <unordered_map>

namespace embd::cli {
namespace {

using Verbs = std::unordered_map<const CLI::App*, Verb*>;
using Options = std::vector<std::pair<const CLI::Option*, Option*>>;

/// A character that is put before some arguments. CLI11 would split a value in square brackets at
/// its commas, and take "++" for the end of a verb's arguments. With the mark they are ordinary
/// texts.
constexpr char mark = '\x1f';

/// Returns the arguments last to first, as CLI::App::parse takes them.
std::vector<std::string> marked_arguments(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string argument = argv[i];
    const bool is_list = argument.starts_with('[') && argument.ends_with(']');
    if (is_list || argument == "++") argument.insert(0, 1, mark);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::string without_mark(std::string value) {
  if (value.starts_with(mark)) value.erase(0, 1);
  return value;
}

/// Refuses an empty value, which a shell makes of a variable that is not set.
std::string not_empty(const std::string& value) {
  return value.empty() ? "is empty" : "";
}

/// Returns the environment variable of an option: "EMBD_MAX_LENGTH" for "--max-length".
std::string environment_name(const std::string& long_option) {
  std::string name = "EMBD_";
  for (const char c : long_option.substr(2))
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// Returns the names of an option in CLI11's form, such as "-o,--output".
std::string names_of(const Option& option) {
  if (option.short_name.empty() || option.name.empty()) return option.display_name();
  return option.short_name + "," + option.name;
}

CLI::callback_t callback_of(const Option& option) {
  return [&option](const CLI::results_t& values) {
    CLI::results_t texts = values;
    if (option.is_flag) {
      bool is_on = false;
      if (!CLI::detail::lexical_cast(values.front(), is_on)) return false;
      texts = {is_on ? "true" : "false"};
    }
    const Result<void> stored = option.store(texts);
    if (!stored) throw CLI::ValidationError(option.display_name(), stored.error().what());
    return true;
  };
}

CLI::Option* add_option(CLI::App& app, const Option& option) {
  if (option.name == "--help") return app.set_help_flag(names_of(option), option.description);
  if (option.name == "--version")
    return app.set_version_flag(option.name, std::string(), option.description);
  CLI::Option* added = app.add_option(names_of(option), callback_of(option), option.description);
  if (option.is_flag)
    return added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->expected(0)
        ->envname(environment_name(option.name));
  const bool is_many = option.most_values == unlimited;
  if (is_many) added->expected(CLI::detail::expected_max_vector_size);
  added->expected(option.least_values,
                  is_many ? CLI::detail::expected_max_vector_size : option.most_values);
  if (option.is_repeatable) added->allow_extra_args(false);
  added->required(option.is_required)->type_name(option.value)->transform(without_mark);
  if (option.value != "TEXT" && option.name != "TEXT") added->check(not_empty);
  if (option.name.starts_with("--")) added->envname(environment_name(option.name));
  return added;
}

void add_options(CLI::App& app, Verb& verb, Options& options) {
  for (Option& option : verb.positionals()) options.emplace_back(add_option(app, option), &option);
  for (Option& option : verb.options()) options.emplace_back(add_option(app, option), &option);
  for (const Option& option : verb.options()) {
    CLI::Option* added = app.get_option(option.display_name());
    for (const std::string& name : option.excluded) added->excludes(app.get_option(name));
    for (const std::string& name : option.needed) added->needs(app.get_option(name));
  }
}

void add_verbs(CLI::App& app, Verb& verb, Verbs& verbs, Options& options) {
  verbs.emplace(&app, &verb);
  add_options(app, verb, options);
  for (Verb& below : verb.verbs())
    add_verbs(*app.add_subcommand(below.name(), below.description()), below, verbs, options);
  if (!verb.verbs().empty()) app.require_subcommand(1);
}

/// Returns the last verb that the arguments name: convert for "embd model convert", the program for
/// "embd".
const CLI::App& last_parsed(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : last_parsed(*parsed.front());
}

Mistake mistake_of(const CLI::ParseError& error, const CLI::App& app) {
  const auto kind_of = [&] {
    using enum Mistake::Kind;
    if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return missing;
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return wrong_count;
    if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) return excluded;
    return dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ? unknown : other;
  };
  return {.kind = kind_of(), .sentence = error.what(), .extras = app.remaining(true)};
}

void note_given(const CLI::App& app, const Options& options) {
  for (const auto& [parsed, option] : options) option->given = parsed->results();
  for (const CLI::Option* given : last_parsed(app).parse_order())
    for (const auto& [parsed, option] : options)
      if (parsed == given) option->is_on_command_line = true;
}

}  // namespace

Parsed parse_arguments(Verb& program, int argc, const char* const* argv) {
  CLI::App app(program.description(), program.name());
  Verbs verbs;
  Options options;
  add_verbs(app, program, verbs, options);
  Parsed parsed;
  try {
    app.parse(marked_arguments(argc, argv));
  } catch (const CLI::CallForHelp&) {
    parsed.request = Parsed::Request::help;
  } catch (const CLI::CallForVersion&) {
    parsed.request = Parsed::Request::version;
  } catch (const CLI::ParseError& error) {
    parsed.mistake = mistake_of(error, app);
  }
  note_given(app, options);
  parsed.verb = verbs.at(&last_parsed(app));
  return parsed;
}

}  // namespace embd::cli
