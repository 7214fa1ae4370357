#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace embd::finalfusion {

/// How often each text was seen. Keeps 96 bits of a hash instead of the text, whose length
/// therefore does not matter: 21 to 43 bytes a text. Among 10⁹ texts, the chance that two are taken
/// for one is below 10⁻¹⁰.
class TextCounts {
 public:
  TextCounts() : slots_(16) {}

  /// Counts `text` once more and returns how often it was seen before.
  std::uint32_t add(std::string_view text);

 private:
  struct Slot {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t count = 0;  // 0: free
  };

  Slot& find(std::uint64_t low, std::uint32_t high);

  std::vector<Slot> slots_;  // a power of two
  std::uint64_t size_ = 0;
};

/// Makes words of texts: a finalfusion vocabulary holds no word twice, so a text that comes again
/// gets "#2", "#3", … behind it. Memory: see TextCounts. Not thread-safe.
class UniqueWords {
 public:
  std::string name(std::string_view text);
  /// Texts that got a number.
  std::uint64_t num_renamed() const noexcept { return num_renamed_; }

 private:
  TextCounts counts_;
  std::uint64_t num_renamed_ = 0;
};

}  // namespace embd::finalfusion
