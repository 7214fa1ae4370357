#pragma once

#include <string>

#include "cli/options/verb.h"
#include "embd/error.h"

namespace embd::cli {

/// Returns what a person can do about an error of `verb`, as a sentence for the line below the
/// message; empty where the message itself says it. The library's messages name no option and no
/// verb, for they are everybody's: what to do with this program is said here, once for a class of
/// errors.
std::string remedy_of(const Error& error, const Verb& verb);

/// "Try embd search --help.": of wrong arguments.
std::string help_remedy(const Verb& verb);

}  // namespace embd::cli
