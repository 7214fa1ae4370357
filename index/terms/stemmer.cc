#include "index/terms/stemmer.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "base/try.h"

namespace embd {
namespace {

/// Words whose stems differ between releases, with their stems in stemmer_release. The library does
/// not say which release it is.
constexpr auto known_stems = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"added", "ad"},
    {"organization", "organ"},
    {"evening", "even"},
    {"universities", "univers"},
});

}  // namespace

void EnglishStemmer::Delete::operator()(sb_stemmer* stemmer) const noexcept {
  sb_stemmer_delete(stemmer);
}

Result<EnglishStemmer> EnglishStemmer::create() {
  EnglishStemmer english(sb_stemmer_new("english", "UTF_8"));
  if (english.stemmer_ == nullptr)
    return fail(ErrorCode::unsupported, "the library libstemmer has no stemmer for English");
  static const bool is_known = std::ranges::all_of(
      known_stems, [&](const auto& known) { return english.stem(known.first) == known.second; });
  if (is_known) return english;
  return fail(ErrorCode::unsupported,
              "the library libstemmer is not of release {}, whose stems an index needs: install "
              "that release, or count words without a stemmer",
              stemmer_release);
}

std::string_view EnglishStemmer::stem(std::string_view word) {
  const sb_symbol* const stem =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stem),
          static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
}

}  // namespace embd
