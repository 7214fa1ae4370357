#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace embd::finalfusion {

/// The n-grams of a word in its brackets, counted in code points: starts from left to right, at
/// each start the longest first, repeats included. The order in which vectors are summed.
class Ngrams {
 public:
  /// `word` is UTF-8.
  Ngrams(std::string_view word, std::string_view begin_of_word, std::string_view end_of_word);

  /// The word in its brackets.
  std::string_view bracketed() const noexcept { return bracketed_; }
  std::size_t num_code_points() const noexcept { return starts_.size() - 1; }
  /// `length` code points from the `first` one.
  std::string_view slice(std::size_t first, std::size_t length) const noexcept {
    return std::string_view(bracketed_)
        .substr(starts_[first], starts_[first + length] - starts_[first]);
  }

  /// Calls `use(std::string_view)` with every n-gram of min_n to max_n code points; min_n ≥ 1.
  void for_each(std::size_t min_n, std::size_t max_n, const auto& use) const {
    for (std::size_t first = 0; first < num_code_points(); ++first)
      for (std::size_t n = std::min(max_n, num_code_points() - first); n >= min_n; --n)
        use(slice(first, n));
  }

 private:
  std::string bracketed_;
  std::vector<std::size_t> starts_;  // of every code point, and the end
};

/// finalfusion's hash of an n-gram: 64-bit FNV-1a over the number of code points (u64) and each of
/// them (u32), all little-endian. `ngram` is UTF-8.
std::uint64_t finalfusion_hash(std::string_view ngram) noexcept;

/// fastText's: 32-bit FNV-1a whose bytes are sign-extended first, which differs from FNV-1a where
/// text is not ASCII.
std::uint32_t fasttext_hash(std::string_view ngram) noexcept;

}  // namespace embd::finalfusion
