#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace embd {

/// How the n-grams of a word choose rows.
enum class SubwordKind : std::uint8_t {
  bucket,    ///< finalfusion: 64-bit FNV-1a over code points, a power of two of buckets
  fasttext,  ///< fastText: 32-bit FNV-1a over sign-extended bytes
  ngrams,    ///< a table of n-grams; those not in it have no row
  floret,    ///< floret: MurmurHash3, one to four buckets an n-gram; no rows of words
};

/// Rows of word embeddings that belong to n-grams instead of words. They follow the rows of the
/// words; the vector of an unknown word is the sum of its n-grams' rows at unit length.
struct Subwords {
  SubwordKind kind = SubwordKind::bucket;
  std::uint64_t num_words = 0;  ///< rows before the first subword row
  std::uint64_t num_rows = 0;   ///< subword rows: buckets, or distinct indices of `ngrams`
  std::uint32_t min_n = 0;      ///< shortest n-gram in code points, the word's brackets counted
  std::uint32_t max_n = 0;
  // floret only
  std::uint32_t num_hashes = 0;  ///< 1 to 4
  std::uint32_t seed = 0;
  std::string begin_of_word = "<";
  std::string end_of_word = ">";
  /// SubwordKind::ngrams only: an n-gram and its row, counted from num_words.
  std::vector<std::pair<std::string, std::uint64_t>> ngrams;
};

}  // namespace embd
