// Replaces the stemmer in a build without the library libstemmer (EMBD_STEMMER=OFF).

#include "base/try.h"
#include "index/terms/stemmer.h"

namespace embd {

void EnglishStemmer::Delete::operator()(sb_stemmer*) const noexcept {}

Result<EnglishStemmer> EnglishStemmer::create() {
  return fail(ErrorCode::unsupported,
              "this build of embd has no stemmer: count words without one, or take another build");
}

std::string_view EnglishStemmer::stem(std::string_view word) {
  return word;
}

}  // namespace embd
