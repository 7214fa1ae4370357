#pragma once

#include <optional>

#include "cli/options/mistake.h"
#include "cli/options/verb.h"

namespace embd::cli {

/// The verb and the request that the arguments name.
struct Parsed {
  enum class Request { run, help, version };

  Request request = Request::run;
  const Verb* verb = nullptr;  ///< the last one named in the arguments; never null
  std::optional<Mistake> mistake = {};
};

/// Parses the arguments of main() and the environment by the options of `program` and its verbs,
/// and stores what was given. Each long option has an environment variable: --max-length has
/// EMBD_MAX_LENGTH. A value may be empty only where it is a text.
Parsed parse_arguments(Verb& program, int argc, const char* const* argv);

}  // namespace embd::cli
