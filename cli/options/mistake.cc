#include "cli/options/parse_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest_name.h"
#include "cli/options/help.h"

namespace embd::cli {
namespace {

template <class Kind>
bool is(const CLI::ParseError& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

/// Without the dashes.
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  return names;
}

/// An argument that `app` has no use for.
std::string extra_sentence(const CLI::App& app, const std::string& extra) {
  std::string sentence = fmt::format("{} has no {:?}", words_of(app), extra);
  const std::vector<std::string> verbs = verbs_of(app);
  if (!verbs.empty()) {
    return fmt::format("{}{}, expected {}", sentence, did_you_mean(extra, verbs),
                       fmt::join(verbs, ", "));
  }
  if (extra.starts_with("--")) {
    // The dashes are no letters that could be right or wrong.
    const std::vector<std::string> names = options_of(app);
    const std::string nearest = nearest_name(extra.substr(2, extra.find('=') - 2), names);
    return nearest.empty() ? sentence : fmt::format("{} (did you mean --{}?)", sentence, nearest);
  }
  return sentence + "; it is called as " + usage_of(app);
}

/// "PATH: At least 2 required but received 1": of the option, what it takes, or that it stands
/// there more than once.
std::string mismatch_sentence(const CLI::App& app, const std::string& what) {
  const std::string name = what.substr(0, what.find(':'));
  const CLI::Option* option = app.get_option_no_throw(name);
  if (option == nullptr) return what;
  if (option->count() > 1 && option->get_items_expected_max() == 1)
    return fmt::format("{} is given {} times, expected once", name, option->count());
  return fmt::format("{} wants {}", name, option->get_type_name());
}

}  // namespace

const CLI::App& last_parsed(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : last_parsed(*parsed.front());
}

std::string words_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : words_of(*parent) + " " + app.get_name();
}

std::string sentence_of(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& last = last_parsed(app);
  const std::vector<std::string> verbs = verbs_of(last);
  const std::vector<std::string> extras = app.remaining(true);
  const bool is_missing = is<CLI::RequiredError>(error) || is<CLI::ArgumentMismatch>(error);
  if (is<CLI::ExtrasError>(error) || is_missing) {
    // What is missing was perhaps given, under a name that is not quite right.
    const auto extra = std::ranges::find_if(
        extras, [&](const std::string& word) { return !verbs.empty() || word.starts_with('-'); });
    if (extra != extras.end()) return extra_sentence(last, *extra);
    if (!is_missing && !extras.empty()) return extra_sentence(last, extras.front());
  }
  if (is<CLI::ArgumentMismatch>(error)) return mismatch_sentence(last, error.what());
  if (is<CLI::ExcludesError>(error)) return std::string(error.what()) + ": give one of them";
  if (!is<CLI::RequiredError>(error)) return error.what();
  if (!verbs.empty())
    return fmt::format("{} alone, expected {}", words_of(last), fmt::join(verbs, ", "));
  return fmt::format("{}: {}", error.what(), usage_of(last));
}

}  // namespace embd::cli
