#include "faces/cli/options/mistake.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest_name.h"
#include "faces/cli/options/help.h"

namespace embd::cli {
namespace {

/// Returns the long names of a verb's options, without dashes.
std::vector<std::string> options_of(const Verb& verb) {
  std::vector<std::string> names;
  for (const Option& option : verb.options())
    if (option.name.starts_with("--")) names.push_back(option.bare_name());
  return names;
}

/// Returns the message for an argument that `verb` does not know.
std::string extra_sentence(const Verb& verb, const std::string& extra) {
  std::string sentence = fmt::format("{} has no {:?}", verb.command(), extra);
  const std::vector<std::string> verbs = verb.verb_names();
  if (!verbs.empty()) {
    return fmt::format("{}{}, expected one of {}", sentence, did_you_mean(extra, verbs),
                       fmt::join(verbs, ", "));
  }
  if (extra.starts_with("--")) {
    // Names are compared without dashes, which would make all names more similar.
    const std::vector<std::string> names = options_of(verb);
    const std::string nearest = nearest_name(extra.substr(2, extra.find('=') - 2), names);
    return nearest.empty() ? sentence : fmt::format("{} (did you mean --{}?)", sentence, nearest);
  }
  return sentence + ", expected " + usage_of(verb);
}

/// Returns the message for an option with a wrong number of values: what it takes, or that it was
/// given more than once. `parsed` is the parser's message, such as "PATH: At least 2 required but
/// received 1".
std::string count_sentence(const Verb& verb, const std::string& parsed) {
  const std::string name = parsed.substr(0, parsed.find(':'));
  const Option* option = verb.find(name);
  if (option == nullptr) return parsed;
  if (option->given.size() > 1 && option->most_values == 1)
    return fmt::format("{} was given {} times, expected once", name, option->given.size());
  return fmt::format("{} expects {}", name, option->value);
}

}  // namespace

std::string sentence_of(const Mistake& mistake, const Verb& verb) {
  using enum Mistake::Kind;
  const std::vector<std::string> verbs = verb.verb_names();
  const bool may_be_missing = mistake.kind == missing || mistake.kind == wrong_count;
  if (mistake.kind == unknown || may_be_missing) {
    // An unknown argument may be the missing one with a misspelt name, so that is reported first.
    const auto extra = std::ranges::find_if(mistake.extras, [&](const std::string& word) {
      return !verbs.empty() || word.starts_with('-');
    });
    if (extra != mistake.extras.end()) return extra_sentence(verb, *extra);
    if (!may_be_missing && !mistake.extras.empty())
      return extra_sentence(verb, mistake.extras.front());
  }
  if (mistake.kind == wrong_count) return count_sentence(verb, mistake.sentence);
  if (mistake.kind == excluded) return mistake.sentence + ": give only one of them";
  if (mistake.kind != missing) return mistake.sentence;
  if (!verbs.empty())
    return fmt::format("{} was called without a command, expected one of {}", verb.command(),
                       fmt::join(verbs, ", "));
  return fmt::format("{}: {}", mistake.sentence, usage_of(verb));
}

}  // namespace embd::cli
