#pragma once

#include <string>
#include <string_view>

#include "embd/error.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {

/// Returns a sentence about what the user can do about an error of `verb`, for the line below the
/// message; an empty string if the message itself says it.
///
/// The messages of the library name no options and no verbs of the program, because other programs
/// use the library, too. This function adds them, for whole classes of errors.
std::string remedy_of(const Error& error, const Verb& verb);

/// Prints that a document is left out, for the reason in `error`, and what the user can do about
/// it.
void say_skipped(const Error& error, const Verb& verb);

/// The remedy for a TSV file with fields in quotes.
inline constexpr std::string_view quotes_remedy =
    "--input-format csv --delimiter tab reads a file whose fields are in quotes.";

/// Returns the remedy for wrong arguments: "Try embd search --help.".
std::string help_remedy(const Verb& verb);

}  // namespace embd::cli
