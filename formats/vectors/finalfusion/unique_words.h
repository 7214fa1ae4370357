#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace embd::finalfusion {

/// Counts how often each text came. It stores 96 bits of a hash instead of the text. So memory does
/// not depend on the length of texts: 21 to 43 bytes per different text. Among 10⁹ texts, the
/// probability that two are mistaken for each other is below 10⁻¹⁰.
class TextCounts {
 public:
  TextCounts() : slots_(16) {}

  /// Adds one to the count of `text` and returns the count before.
  std::uint32_t add(std::string_view text);

 private:
  struct Slot {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    std::uint32_t count = 0;  // 0 means that the slot is free.
  };

  Slot& find(std::uint64_t low, std::uint32_t high);

  std::vector<Slot> slots_;  // The size is a power of two.
  std::uint64_t size_ = 0;
};

/// Makes distinct words from texts, because a finalfusion vocabulary holds no word twice. A text
/// that comes again gets the suffix "#2", "#3", …. It needs the memory of TextCounts. Not
/// thread-safe.
class UniqueWords {
 public:
  std::string name(std::string_view text);
  /// Returns the number of texts that got a suffix.
  std::uint64_t num_renamed() const noexcept { return num_renamed_; }

 private:
  TextCounts counts_;
  std::uint64_t num_renamed_ = 0;
};

}  // namespace embd::finalfusion
