#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace embd::finalfusion {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Hash128&) const = default;
};

/// Returns the MurmurHash3 x64 128 of `text`, a public-domain function of Austin Appleby. Both
/// halves start from `seed`. The format floret uses this hash; so do the tables of words.
Hash128 murmur3(std::string_view text, std::uint64_t seed) noexcept;

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

/// A hash table of strings that are stored elsewhere. It maps a text to its position;
/// `at(position)` must return the text at a position. A slot has 8 bytes, and there are 4/3 to 8/3
/// slots per string. The hash has a new seed in each process, so that no file can be made to have
/// many collisions. Results do not depend on the seed.
class StringTable {
 public:
  /// Makes room for `expected` strings. The table grows if there are more.
  explicit StringTable(std::uint64_t expected = 0);

  /// Adds `text` at `position`, which is below 2^40. Returns nothing, or the position of an equal
  /// text that the table had already.
  template <std::invocable<std::uint64_t> At>
  std::optional<std::uint64_t> insert(std::string_view text, std::uint64_t position, const At& at) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow(at);
    const std::uint64_t hash = hash_of(text);
    std::uint64_t slot = hash & mask();
    for (; slots_[slot] != 0; slot = (slot + 1) & mask())
      if (same_tag(slots_[slot], hash) && at(position_in(slots_[slot])) == text)
        return position_in(slots_[slot]);
    slots_[slot] = filled(hash, position);
    ++size_;
    return std::nullopt;
  }

  template <std::invocable<std::uint64_t> At>
  std::optional<std::uint64_t> find(std::string_view text, const At& at) const {
    const std::uint64_t hash = hash_of(text);
    for (std::uint64_t slot = hash & mask(); slots_[slot] != 0; slot = (slot + 1) & mask())
      if (same_tag(slots_[slot], hash) && at(position_in(slots_[slot])) == text)
        return position_in(slots_[slot]);
    return std::nullopt;
  }

 private:
  // A slot is 0 if it is free. Otherwise it has the upper 24 bits of the hash, and the position
  // plus one.
  static constexpr int position_bits = 40;
  static constexpr std::uint64_t position_mask = (std::uint64_t{1} << position_bits) - 1;

  static std::uint64_t hash_of(std::string_view text) noexcept;
  static std::uint64_t filled(std::uint64_t hash, std::uint64_t position) {
    return (hash & ~position_mask) | (position + 1);
  }
  static bool same_tag(std::uint64_t slot, std::uint64_t hash) {
    return ((slot ^ hash) >> position_bits) == 0;
  }
  static std::uint64_t position_in(std::uint64_t slot) { return (slot & position_mask) - 1; }
  std::uint64_t mask() const { return slots_.size() - 1; }

  template <class At>
  void grow(const At& at) {
    std::vector<std::uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    for (const std::uint64_t filled_slot : old) {
      if (filled_slot == 0) continue;
      std::uint64_t slot = hash_of(at(position_in(filled_slot))) & mask();
      while (slots_[slot] != 0) slot = (slot + 1) & mask();
      slots_[slot] = filled_slot;
    }
  }

  std::vector<std::uint64_t> slots_;  // The size is a power of two.
  std::uint64_t size_ = 0;
};

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
