#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace embd::cli {

/// As far as the arguments went: of "embd", "embd search" and "embd model convert" the last.
const CLI::App& last_parsed(const CLI::App& app);

/// "embd", "embd search", "embd model convert".
std::string words_of(const CLI::App& app);

/// What is wrong with the arguments of `app`, in our words where the parser's do not say what to
/// do: with the nearest name for one that is not there, and how the verb is called where an
/// argument is missing or one too many.
std::string sentence_of(const CLI::App& app, const CLI::ParseError& error);

}  // namespace embd::cli
