#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace embd::finalfusion {

/// Lists the n-grams of a word within its brackets, counted in code points. They come by their
/// beginnings from left to right, and for each beginning the longest first. Repeated n-grams come
/// again. Vectors are added in this order.
class Ngrams {
 public:
  /// Puts `word`, which must be UTF-8, between the brackets.
  Ngrams(std::string_view word, std::string_view begin_of_word, std::string_view end_of_word);

  /// Returns the word with its brackets.
  std::string_view bracketed() const noexcept { return bracketed_; }
  std::size_t num_code_points() const noexcept { return starts_.size() - 1; }
  /// Returns `length` code points, beginning with number `first`.
  std::string_view slice(std::size_t first, std::size_t length) const noexcept {
    return std::string_view(bracketed_)
        .substr(starts_[first], starts_[first + length] - starts_[first]);
  }

  /// Calls `use(std::string_view)` for every n-gram of min_n to max_n code points. min_n is at
  /// least 1.
  void for_each(std::size_t min_n, std::size_t max_n, const auto& use) const {
    for (std::size_t first = 0; first < num_code_points(); ++first)
      for (std::size_t n = std::min(max_n, num_code_points() - first); n >= min_n; --n)
        use(slice(first, n));
  }

 private:
  std::string bracketed_;
  std::vector<std::size_t> starts_;  // Where each code point begins, and the end.
};

/// Returns finalfusion's hash of an n-gram: 64-bit FNV-1a over the number of code points (u64) and
/// each code point (u32), all little-endian. `ngram` must be UTF-8.
std::uint64_t finalfusion_hash(std::string_view ngram) noexcept;

/// Returns fastText's hash of an n-gram: 32-bit FNV-1a in which each byte is sign-extended first.
/// For text that is not ASCII, it differs from FNV-1a.
std::uint32_t fasttext_hash(std::string_view ngram) noexcept;

}  // namespace embd::finalfusion
