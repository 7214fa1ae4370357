#include "faces/cli/options/verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "base/messages.h"
#include "base/try.h"
#include "base/utf8.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {
namespace {

/// Reads the arguments from first to last, and gives each to the option that takes it.
class ArgumentReader {
 public:
  ArgumentReader(Verb& program, std::span<const char* const> arguments)
      : verb_(&program), left_(arguments.begin(), arguments.end()) {}

  /// Returns an error if an option has fewer values than it needs.
  Result<void> read() {
    while (next_ < left_.size()) EMBD_TRY(read_next());
    return {};
  }

  Verb& verb() const noexcept { return *verb_; }
  /// The arguments that no option and no verb takes.
  const std::vector<std::string>& extras() const noexcept { return extras_; }

 private:
  /// Returns true if an argument is an option, even one that does not exist. A negative number is
  /// none.
  static bool is_option(std::string_view argument) {
    if (argument.size() < 2 || argument.front() != '-') return false;
    return argument[1] == '-' ? argument.size() > 2
                              : std::isdigit(static_cast<unsigned char>(argument[1])) == 0;
  }

  Result<void> read_next() {
    std::string argument = left_[next_++];
    if (!is_end_ && argument == "--") {
      is_end_ = true;
      return {};
    }
    if (!is_end_) {
      const auto below = std::ranges::find(verb_->verbs(), argument, &Verb::name);
      if (below != verb_->verbs().end()) {
        verb_ = &*below;
        return {};
      }
      if (argument.starts_with("--") && argument.size() > 2) return read_long(argument);
      if (is_option(argument)) return read_short(argument);
    }
    for (Option& positional : verb_->positionals()) {
      if (std::cmp_less(positional.given.size(), positional.most_values)) {
        give(positional, std::move(argument));
        return {};
      }
    }
    extras_.push_back(std::move(argument));
    return {};
  }

  Result<void> read_long(const std::string& argument) {
    const std::size_t equals = argument.find('=');
    Option* option = find(argument.substr(0, equals));
    const bool has_value = equals != std::string::npos;
    if (option == nullptr || (option->is_flag && has_value && option->store == nullptr)) {
      extras_.push_back(argument);
      return {};
    }
    if (has_value) give(*option, argument.substr(equals + 1));
    return read_values(*option, has_value ? 1 : 0);
  }

  Result<void> read_short(const std::string& argument) {
    for (std::size_t at = 1; at < argument.size(); ++at) {
      Option* option = find({'-', argument[at]});
      if (option == nullptr) {
        extras_.push_back(at == 1 ? argument : "-" + argument.substr(at));
        return {};
      }
      if (option->is_flag) {
        EMBD_TRY(read_values(*option, 0));
        continue;
      }
      const bool has_value = at + 1 < argument.size();
      if (has_value) give(*option, argument.substr(at + 1));
      return read_values(*option, has_value ? 1 : 0);
    }
    return {};
  }

  /// Reads the values of an option of which `count` were read. It takes as many arguments as it
  /// needs, whatever they look like, and after these, if it may have more, all up to the next
  /// option that required positional arguments do not need.
  Result<void> read_values(Option& option, int count) {
    option.is_on_command_line = true;
    if (option.is_flag) {
      if (count == 0) give(option, "true");
      return {};
    }
    const int most = option.is_repeatable ? option.least_values : option.most_values;
    for (; count < option.least_values; ++count) {
      if (next_ == left_.size())
        return fail(ErrorCode::invalid_argument, "{} expects {}", option.display_name(),
                    option.value);
      give(option, left_[next_++]);
    }
    for (; count < most && next_ < left_.size(); ++count) {
      if (is_option(left_[next_]) || left_[next_] == "--") break;
      if (left_.size() - next_ <= required_positionals()) break;
      give(option, left_[next_++]);
    }
    return {};
  }

  /// Returns the number of arguments that required positional arguments still need.
  std::size_t required_positionals() const {
    std::size_t count = 0;
    for (const Option& positional : verb_->positionals()) {
      const auto least = static_cast<std::size_t>(positional.least_values);
      if (positional.is_required) count += least - std::min(least, positional.given.size());
    }
    return count;
  }

  Option* find(const std::string& name) const {
    const auto found = std::ranges::find_if(verb_->options(), [&](const Option& option) {
      return name == option.name || name == option.short_name;
    });
    return found != verb_->options().end() ? &*found : nullptr;
  }

  static void give(Option& option, std::string value) {
    option.is_on_command_line = true;
    option.given.push_back(std::move(value));
  }

  Verb* verb_;
  std::vector<std::string> left_;
  std::size_t next_ = 0;
  bool is_end_ = false;  ///< "--" was read
  std::vector<std::string> extras_;
};

/// Gives an option that is not on the command line the value of its environment variable:
/// EMBD_MAX_LENGTH for --max-length. An empty variable counts as none.
void read_environment(Option& option) {
  if (!option.given.empty() || !option.name.starts_with("--") || option.store == nullptr) return;
  std::string name = "EMBD_";
  for (const char c : option.name.substr(2))
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const char* value = std::getenv(name.c_str());
  if (value != nullptr && *value != '\0') option.given.emplace_back(value);
}

/// Returns "true" or "false" for the words that switch a flag on or off; an empty string for
/// others.
std::string switch_value(std::string_view given) {
  const std::string text = in_small_letters(given);
  for (const std::string_view on : {"true", "on", "yes", "enable", "t", "y", "1"})
    if (text == on) return "true";
  for (const std::string_view off : {"false", "off", "no", "disable", "f", "n", "0"})
    if (text == off) return "false";
  return {};
}

/// Stores what was given for an option. The error says what was expected.
Result<void> store(const Option& option) {
  if (option.given.empty() || option.store == nullptr) return {};
  const std::string& name = option.display_name();
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorCode::invalid_argument, "{}{}", name, what);
  };
  std::vector<std::string> values = option.given;
  if (option.is_flag) {
    values = {switch_value(values.back())};
    if (values.front().empty())
      return wrong(fmt::format(": {:?} was found, expected true or false", option.given.back()));
  } else {
    const int most = option.is_repeatable ? unlimited : option.most_values;
    if (std::cmp_greater(values.size(), most) && most == 1)
      return wrong(fmt::format(" was given {} times, expected once", values.size()));
    if (std::cmp_greater(values.size(), most) || std::cmp_less(values.size(), option.least_values))
      return wrong(" expects " + option.value);
    // A shell makes an empty value of a variable that is not set.
    const bool may_be_empty = option.value == "TEXT" || option.name == "TEXT";
    if (!may_be_empty && std::ranges::find(values, "") != values.end()) return wrong(": is empty");
  }
  const Result<void> stored = option.store(values);
  return stored ? Result<void>() : wrong(fmt::format(": {}", stored.error().what()));
}

/// Returns the message for an argument that `verb` does not know.
std::string extra_sentence(const Verb& verb, const std::string& extra) {
  std::string sentence = fmt::format("{} has no {:?}", verb.command(), extra);
  const std::vector<std::string> verbs = verb.verb_names();
  if (!verbs.empty()) {
    return fmt::format("{}{}, expected one of {}", sentence, did_you_mean(extra, verbs),
                       fmt::join(verbs, ", "));
  }
  if (!extra.starts_with("--")) return sentence + ", expected " + usage_of(verb);
  // Names are compared without dashes, which would make all names more similar.
  std::vector<std::string> names;
  for (const Option& option : verb.options())
    if (option.name.starts_with("--")) names.push_back(option.bare_name());
  const std::string nearest = nearest_name(extra.substr(2, extra.find('=') - 2), names);
  return nearest.empty() ? sentence : fmt::format("{} (did you mean --{}?)", sentence, nearest);
}

/// Returns the message for an option that is missing or cannot be beside another; an empty string
/// if there is none.
std::string combination_mistake(const Verb& verb, const Option& option) {
  const std::string& name = option.display_name();
  if (option.given.empty())
    return option.is_required ? fmt::format("{} is required: {}", name, usage_of(verb)) : "";
  for (const std::string& other : option.needed)
    if (!verb.has_value(other)) return fmt::format("{} requires {}", name, other);
  for (const std::string& other : option.excluded)
    if (verb.has_value(other))
      return fmt::format("{} excludes {}: give only one of them", name, other);
  return {};
}

/// Returns what is wrong with the arguments; nothing if they are right. `read` is what reading and
/// storing them returned. An unknown argument may be a missing one with a misspelt name, so it is
/// reported first.
std::optional<std::string> mistake_in(const Verb& verb, const Result<void>& read,
                                      const std::vector<std::string>& extras) {
  const std::vector<std::string> verbs = verb.verb_names();
  const auto extra = std::ranges::find_if(
      extras, [&](const std::string& word) { return !verbs.empty() || word.starts_with('-'); });
  if (extra != extras.end()) return extra_sentence(verb, *extra);
  if (!read) return read.error().what();
  for (const auto* options : {&verb.positionals(), &verb.options()}) {
    for (const Option& option : *options)
      if (std::string mistake = combination_mistake(verb, option); !mistake.empty()) return mistake;
  }
  if (!verbs.empty())
    return fmt::format("{} was called without a command, expected one of {}", verb.command(),
                       fmt::join(verbs, ", "));
  if (!extras.empty()) return extra_sentence(verb, extras.front());
  return std::nullopt;
}

}  // namespace

Parsed parse_arguments(Verb& program, int argc, const char* const* argv) {
  ArgumentReader reader(program, std::span(argv, static_cast<std::size_t>(argc)).subspan(argc > 0));
  Result<void> read = reader.read();
  Verb& verb = reader.verb();
  Parsed parsed{.verb = &verb};
  if (verb.is_given("--help")) {
    parsed.request = Parsed::Request::help;
    return parsed;
  }
  if (verb.is_given("--version")) {
    parsed.request = Parsed::Request::version;
    return parsed;
  }
  for (auto* options : {&verb.positionals(), &verb.options()}) {
    for (Option& option : *options) {
      read_environment(option);
      if (read) read = store(option);
    }
  }
  parsed.mistake = mistake_in(verb, read, reader.extras());
  return parsed;
}

}  // namespace embd::cli
