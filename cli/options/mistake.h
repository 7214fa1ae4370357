#pragma once

#include <string>
#include <vector>

#include "cli/options/verb.h"

namespace embd::cli {

/// A mistake in the arguments, as the parser found it.
struct Mistake {
  enum class Kind { missing, wrong_count, excluded, unknown, other };

  Kind kind = Kind::other;
  std::string sentence;             ///< the parser's words
  std::vector<std::string> extras;  ///< arguments that the verb has no use for
};

/// Returns what is wrong with the arguments of `verb`, in our words where the parser's do not say
/// what to do: with the nearest name for one that does not exist, and with the verb's usage where
/// an argument is missing or one too many.
std::string sentence_of(const Mistake& mistake, const Verb& verb);

}  // namespace embd::cli
