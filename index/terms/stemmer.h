#pragma once

#include <memory>
#include <string_view>

#include "embd/error.h"

struct sb_stemmer;

namespace embd {

/// The release of Snowball's stemmers that embd takes. Another release gives other stems: since
/// 3.0, "added" gives "add", which was "ad".
inline constexpr std::string_view stemmer_release = "2.2.0";

/// Snowball's stemmer for English. Not thread-safe.
class EnglishStemmer {
 public:
  /// Fails with unsupported if the library is of another release, or if this build has none.
  static Result<EnglishStemmer> create();

  /// Returns the stem of a word in lower case. It is valid until the next call.
  std::string_view stem(std::string_view word);

 private:
  struct Delete {
    void operator()(sb_stemmer* stemmer) const noexcept;
  };
  explicit EnglishStemmer(sb_stemmer* stemmer) : stemmer_(stemmer) {}

  std::unique_ptr<sb_stemmer, Delete> stemmer_;
};

}  // namespace embd
