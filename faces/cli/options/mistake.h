#pragma once

#include <string>
#include <vector>

#include "faces/cli/options/verb.h"

namespace embd::cli {

/// A mistake in the arguments, as the parser found it.
struct Mistake {
  enum class Kind { missing, wrong_count, excluded, unknown, other };

  Kind kind = Kind::other;
  std::string sentence;             ///< the message of the parser
  std::vector<std::string> extras;  ///< arguments that the verb does not know
};

/// Returns the message for a mistake in the arguments of `verb`. It adds to the parser's message
/// what the user can do: the most similar name for a name that does not exist, and the usage of the
/// verb if an argument is missing or there is one too many.
std::string sentence_of(const Mistake& mistake, const Verb& verb);

}  // namespace embd::cli
