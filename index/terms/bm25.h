#pragma once

#include <cstdint>
#include <span>

namespace embd {

/// The formula of BM25 as Lucene has it (docs/formats/terms.md). Numbers are computed in double and
/// rounded once, to float32.
class Bm25 {
 public:
  /// Takes the parameters k1 and b, and the number of terms in each row. Without terms, the average
  /// length is 0.
  Bm25(double k1, double b, std::span<const std::uint32_t> lengths) noexcept;

  double average_length() const noexcept { return average_length_; }
  /// Returns how much a term distinguishes rows if `df` of them have it, above 0.
  double idf(std::uint64_t df) const noexcept;
  /// Returns the score of a row of `length` terms for a term that it has `tf` times.
  float score(double idf, std::uint32_t tf, std::uint32_t length) const noexcept {
    const double count = tf;
    return static_cast<float>(idf * (count / (count + short_ + long_ * length)));
  }

 private:
  double num_rows_;
  double average_length_ = 0;
  double short_;     // what is added to tf for a row without terms
  double long_ = 0;  // and for each term of the row
};

}  // namespace embd
