#pragma once

#include <optional>
#include <string>

#include "faces/cli/options/verb.h"

namespace embd::cli {

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
