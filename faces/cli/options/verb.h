#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/path_text.h"
#include "embd/error.h"
#include "jobs/options/option.h"

namespace embd::cli {

/// The exit codes of the program. They do not change between releases, because scripts rely on
/// them.
enum class ExitCode : int {
  good = 0,
  usage = 2,
  bad_input = 3,
  recipe_mismatch = 4,
  difference = 5,  ///< verify, compare or check has found a difference
  io_failed = 6,   ///< also if memory or disk space is used up
  interrupted = 130,
  pipe_closed = 141,  ///< the reader of standard output has closed it
};

/// The value of Option::most_values for an option that takes any number of values.
inline constexpr int unlimited = std::numeric_limits<int>::max();

/// An option, a flag or a positional argument of a verb: what the parser accepts, and what the
/// help, the manual page and the completions say about it. After parsing it holds what was given.
struct Option {
  /// Stores the values that were given. If they are wrong, the error says what was expected, and
  /// the parser puts the name of the option before it.
  using Store = std::function<Result<void>(const std::vector<std::string>& values)>;

  std::string short_name;   ///< "-o", or empty
  std::string name;         ///< "--output", or empty; "INPUT" for a positional argument
  std::string value;        ///< the name of its value, such as "OUT"; empty for a flag
  std::string description;  ///< one sentence, for the help
  bool is_flag = false;     ///< takes no value; `store` gets "true" or "false"
  bool is_required = false;
  bool is_repeatable = false;  ///< takes one value each time it is given
  int least_values = 1;
  int most_values = 1;
  std::vector<std::string> excluded;  ///< names of options that cannot be given beside this one
  std::vector<std::string> needed;    ///< names of options without which this one cannot be given
  OptionGroup group = OptionGroup::general;  ///< the heading in the help
  OptionFormats formats = {};                ///< the formats it is for; empty: all
  bool is_of_reading = false;   ///< true if `formats` are read, false if written or searched
  std::string useless_without;  ///< the option without which it does nothing, or empty
  Store store;

  std::vector<std::string> given;   ///< values from the command line or the environment
  bool is_on_command_line = false;  ///< given there, not only in the environment

  // Setters. Each returns *this.
  Option& required() { return is_required = true, *this; }
  Option& type_name(std::string text) { return value = std::move(text), *this; }
  Option& repeatable() { return is_repeatable = true, *this; }
  Option& expected(int least, int most) {
    least_values = least;
    most_values = most;
    return *this;
  }
  Option& excludes(std::vector<std::string> names) { return excluded = std::move(names), *this; }
  Option& needs(std::string other) { return needed.push_back(std::move(other)), *this; }
  Option& in(OptionGroup heading) { return group = heading, *this; }

  /// Returns the long name, or the short one if there is no other.
  const std::string& display_name() const noexcept { return name.empty() ? short_name : name; }
  /// Returns display_name() without its dashes: "output", "k".
  std::string bare_name() const;
};

/// The function that does the work of a verb after its options were parsed. It writes data to
/// standard output or a file, and everything else to standard error.
using Run = std::function<Result<ExitCode>()>;

class Verb;

/// A verb that was added to a program, and the request that its options are stored in.
template <class Request>
struct NewVerb {
  Verb& verb;
  Request& request;
};

/// The program or one of its verbs, with its options and the verbs below it. The parser,
/// the help, the manual page and the completions are all made from this description.
///
/// The variables that options are bound to must live as long as the verb. References to options
/// and verbs stay valid when more are added.
class Verb {
 public:
  Verb(std::string name, std::string description, Run run = nullptr, const Verb* parent = nullptr);
  Verb(const Verb&) = delete;  // The verbs below point to their parent.
  Verb& operator=(const Verb&) = delete;

  /// Adds a verb below this one.
  Verb& add_verb(std::string name, std::string description, Run run = nullptr);
  /// Adds a verb below this one, whose options are members of a Request that `function` gets. The
  /// verb owns the request. If the request has a member `verb`, it points to the verb.
  template <class Request>
  NewVerb<std::remove_const_t<Request>> add_verb(std::string name, std::string description,
                                                 Result<ExitCode> (*function)(Request&)) {
    const auto request = std::make_shared<std::remove_const_t<Request>>();
    Verb& verb = add_verb(std::move(name), std::move(description),
                          [function, request] { return function(*request); });
    if constexpr (requires { request->verb = &verb; }) request->verb = &verb;
    return {verb, *request};
  }

  /// Adds an option that takes one text. `names`: "-o,--output", or "INPUT" for a positional
  /// argument.
  template <class Value>
    requires std::is_assignable_v<Value&, const std::string&>
  Option& add_option(const std::string& names, Value& value, std::string description) {
    return add(names, std::move(description), [&value](const std::vector<std::string>& texts) {
      set_text(value, texts.front());
      return Result<void>();
    });
  }
  /// Adds an option that takes one or more texts.
  template <class Value>
  Option& add_option(const std::string& names, std::vector<Value>& values,
                     std::string description) {
    return add(names, std::move(description),
               [&values](const std::vector<std::string>& texts) {
                 values.clear();
                 for (const std::string& text : texts) set_text(values.emplace_back(), text);
                 return Result<void>();
               })
        .expected(1, unlimited);
  }
  /// Adds an option whose text `parse` reads; each text, if the option is repeatable. The error
  /// says what was expected of the text.
  Option& add_parsed(const std::string& names,
                     std::function<Result<void>(const std::string& text)> parse,
                     std::string description);
  /// Adds a flag, which makes `value` true.
  Option& add_flag(const std::string& names, bool& value, std::string description) {
    return add_switch(names, std::move(description), [&value](bool is_on) { value = is_on; });
  }
  /// Adds a flag such as "--no-header", which makes `value`, a bool or an optional one, false.
  template <class Value>
  Option& add_negative_flag(const std::string& names, Value& value, std::string description) {
    return add_switch(names, std::move(description), [&value](bool is_on) { value = !is_on; });
  }
  /// Adds a flag. `set` is called with true if the flag is given, or with the value of its
  /// environment variable EMBD_NAME.
  Option& add_switch(const std::string& names, std::string description,
                     std::function<void(bool)> set);
  /// Adds --version, which the parser handles like --help.
  void add_version_flag();

  const std::string& name() const noexcept { return name_; }
  const std::string& description() const noexcept { return description_; }
  /// The text at the end of the help.
  const std::string& footer() const noexcept { return footer_; }
  void set_footer(std::string footer) { footer_ = std::move(footer); }
  /// Returns the words that call the verb, such as "model convert"; an empty string for the
  /// program.
  std::string words() const;
  /// Returns the name of the program and words(), such as "embd model convert".
  std::string command() const;
  const Verb* parent() const noexcept { return parent_; }
  const std::deque<Verb>& verbs() const noexcept { return verbs_; }
  std::deque<Verb>& verbs() noexcept { return verbs_; }
  /// Returns the names of verbs().
  std::vector<std::string> verb_names() const;
  /// The positional arguments in their order on the command line.
  const std::deque<Option>& positionals() const noexcept { return positionals_; }
  std::deque<Option>& positionals() noexcept { return positionals_; }
  /// The options and flags in the order in which they were added; --help is the first.
  const std::deque<Option>& options() const noexcept { return options_; }
  std::deque<Option>& options() noexcept { return options_; }
  const Run& run() const noexcept { return run_; }

  /// Returns the option or positional argument with a name such as "--output" or "INPUT"; null if
  /// there is none.
  const Option* find(std::string_view name) const noexcept;
  /// Returns the option with that name, which exists.
  Option& option(std::string_view name);
  bool has(std::string_view name) const noexcept { return find(name) != nullptr; }
  /// Returns the first value that was given for an option; empty if there is none.
  std::string value_of(std::string_view name) const;
  /// Returns true if an option was given, on the command line or in the environment.
  bool has_value(std::string_view name) const noexcept;
  /// Returns true if an option was given on the command line itself.
  bool is_given(std::string_view name) const noexcept;

 private:
  /// Stores the text of an argument. A path is made of it on every system in the same way.
  template <class Value>
  static void set_text(Value& value, const std::string& text) {
    if constexpr (std::is_same_v<Value, std::filesystem::path>) {
      value = path_of_text(text);
    } else {
      value = text;
    }
  }
  Option& add(const std::string& names, std::string description, Option::Store store);

  std::string name_;
  std::string description_;
  std::string footer_;
  Run run_;
  const Verb* parent_;
  std::deque<Option> positionals_;
  std::deque<Option> options_;
  std::deque<Verb> verbs_;
};

/// Returns `verb` and all verbs below it, in the order of the help.
std::vector<const Verb*> all_verbs(const Verb& verb);

/// Returns how a verb is called: "embd index VECTORS -o OUT [OPTION ...]".
std::string usage_of(const Verb& verb);

/// Returns the text of `--help`: the options that most people need first, then all others by
/// purpose.
std::string help_of(const Verb& verb);

/// The result of parsing arguments: a verb, and the request to run it or to print its help or the
/// version.
struct Parsed {
  enum class Request { run, help, version };

  Request request = Request::run;
  const Verb* verb = nullptr;  ///< the last one named in the arguments; never null
  /// Set if the arguments are wrong: a sentence that says how, and what the user can do, such as
  /// the most similar name for a name that does not exist.
  std::optional<std::string> mistake = {};
};

/// Parses the arguments of main() and the environment with the options of `program` and its verbs,
/// and stores the values that were given. Each long option can also be set by an environment
/// variable: --max-length by EMBD_MAX_LENGTH. Only a value that is a text may be empty.
///
/// A value follows its option as the next argument, behind "=" (--name=value), or at once
/// (-k10). Short flags can be joined (-ab). Arguments behind "--" are positional.
Parsed parse_arguments(Verb& program, int argc, const char* const* argv);

}  // namespace embd::cli
