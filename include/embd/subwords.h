#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace embd {

/// The way in which an n-gram of a word is mapped to rows.
enum class SubwordKind : std::uint8_t {
  /// The n-gram is hashed as in finalfusion: 64-bit FNV-1a over its code points. The number of
  /// buckets is a power of two, and each bucket has a row.
  bucket,
  fasttext,  ///< fastText: 32-bit FNV-1a over sign-extended bytes
  ngrams,    ///< a table of n-grams; n-grams that are not in it have no row
  /// The n-gram is hashed as in floret: MurmurHash3 gives it one to four buckets, each of which has
  /// a row. Words have no rows of their own.
  floret,
};

/// The rows of word embeddings that belong to n-grams instead of words. They follow the rows of the
/// words. The vector of a word without a row is the sum of the rows of its n-grams, scaled to
/// length 1.
struct Subwords {
  SubwordKind kind = SubwordKind::bucket;
  std::uint64_t num_words = 0;  ///< rows of words, before the first n-gram row
  std::uint64_t num_rows = 0;   ///< n-gram rows: buckets, or different indices in `ngrams`
  /// The shortest and the longest n-gram, in code points, counting the brackets around the word.
  std::uint32_t min_n = 0;
  std::uint32_t max_n = 0;
  // For floret only.
  std::uint32_t num_hashes = 0;  ///< rows of each n-gram, 1 to 4
  std::uint32_t seed = 0;        ///< the seed of the hash of an n-gram
  /// The brackets that are put before and after a word before it is cut into n-grams.
  std::string begin_of_word = "<";
  std::string end_of_word = ">";
  /// A table of n-grams, each with its row, counted from `num_words`. For SubwordKind::ngrams only.
  std::vector<std::pair<std::string, std::uint64_t>> ngrams;
};

}  // namespace embd
