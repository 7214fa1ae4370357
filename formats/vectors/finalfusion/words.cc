#include "formats/vectors/finalfusion/words.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/os/process.h"
#include "base/utf8.h"

namespace embd::finalfusion {
namespace {

constexpr std::uint64_t c1 = 0x87c37b91114253d5;
constexpr std::uint64_t c2 = 0x4cf5ad432745937f;

std::uint64_t mix_low(std::uint64_t k) {
  return std::rotl(k * c1, 31) * c2;
}

std::uint64_t mix_high(std::uint64_t k) {
  return std::rotl(k * c2, 33) * c1;
}

std::uint64_t avalanche(std::uint64_t k) {
  k = (k ^ (k >> 33)) * 0xff51afd7ed558ccd;
  k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53;
  return k ^ (k >> 33);
}

constexpr std::uint64_t fnv64_offset = 0xcbf29ce484222325;
constexpr std::uint64_t fnv64_prime = 0x100000001b3;
constexpr std::uint32_t fnv32_offset = 2166136261;
constexpr std::uint32_t fnv32_prime = 16777619;

/// Adds `value`, as `bytes` little-endian bytes, to a hash.
std::uint64_t fnv64(std::uint64_t hash, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) hash = (hash ^ ((value >> (8 * i)) & 0xFF)) * fnv64_prime;
  return hash;
}

/// Removes the first code point of well-formed UTF-8 from `text` and returns it.
std::uint32_t take_code_point(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  std::uint32_t code_point = size == 1 ? lead : lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size && i < text.size(); ++i)
    code_point = (code_point << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  text.remove_prefix(std::min(size, text.size()));
  return code_point;
}

/// The seed of the hash. Any seed gives the same counts.
constexpr std::uint64_t hash_seed = 0x656d6264;

}  // namespace

Hash128 murmur3(std::string_view text, std::uint64_t seed) noexcept {
  Hash128 h = {seed, seed};
  std::uint64_t block[2];
  std::string_view rest = text;
  for (; rest.size() >= sizeof(block); rest.remove_prefix(sizeof(block))) {
    std::memcpy(block, rest.data(), sizeof(block));
    h.low = (std::rotl(h.low ^ mix_low(block[0]), 27) + h.high) * 5 + 0x52dce729;
    h.high = (std::rotl(h.high ^ mix_high(block[1]), 31) + h.low) * 5 + 0x38495ab5;
  }
  // The remaining bytes, as if zeros followed. A half of zeros does not change the hash.
  block[0] = block[1] = 0;
  if (!rest.empty()) std::memcpy(block, rest.data(), rest.size());
  h.low ^= mix_low(block[0]);
  h.high ^= mix_high(block[1]);

  h.low ^= text.size();
  h.high ^= text.size();
  h.low += h.high;
  h.high += h.low;
  h.low = avalanche(h.low);
  h.high = avalanche(h.high);
  h.low += h.high;
  h.high += h.low;
  return h;
}

Ngrams::Ngrams(std::string_view word, std::string_view begin_of_word,
               std::string_view end_of_word) {
  bracketed_.reserve(begin_of_word.size() + word.size() + end_of_word.size());
  bracketed_.append(begin_of_word).append(word).append(end_of_word);
  for (std::size_t i = 0; i < bracketed_.size(); ++i)
    if (begins_character(bracketed_[i])) starts_.push_back(i);
  starts_.push_back(bracketed_.size());
}

std::uint64_t finalfusion_hash(std::string_view ngram) noexcept {
  std::uint64_t hash = fnv64(fnv64_offset, count_characters(ngram), 8);
  while (!ngram.empty()) hash = fnv64(hash, take_code_point(ngram), 4);
  return hash;
}

std::uint32_t fasttext_hash(std::string_view ngram) noexcept {
  std::uint32_t hash = fnv32_offset;
  for (const char c : ngram)
    hash = (hash ^ static_cast<std::uint32_t>(static_cast<std::int8_t>(c))) * fnv32_prime;
  return hash;
}

StringTable::StringTable(std::uint64_t expected)
    : slots_(std::bit_ceil(expected + expected / 3 + 8)) {}

std::uint64_t StringTable::hash_of(std::string_view text) noexcept {
  static const std::uint64_t seed = os::random_number();
  return murmur3(text, seed).low;
}

TextCounts::Slot& TextCounts::find(std::uint64_t low, std::uint32_t high) {
  const std::uint64_t mask = slots_.size() - 1;
  std::uint64_t i = low & mask;
  while (slots_[i].count != 0 && (slots_[i].low != low || slots_[i].high != high))
    i = (i + 1) & mask;
  return slots_[i];
}

std::uint32_t TextCounts::add(std::string_view text) {
  if ((size_ + 1) * 4 > slots_.size() * 3) {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.count != 0) find(slot.low, slot.high) = slot;
  }
  const Hash128 hash = murmur3(text, hash_seed);
  const auto high = static_cast<std::uint32_t>(hash.high);
  Slot& slot = find(hash.low, high);
  if (slot.count == 0) {
    slot = {.low = hash.low, .high = high, .count = 0};
    ++size_;
  }
  return slot.count++;
}

std::string UniqueWords::name(std::string_view text) {
  std::uint32_t before = counts_.add(text);
  if (before == 0) return std::string(text);
  ++num_renamed_;
  for (;;) {
    std::string name = fmt::format("{}#{}", text, before + 1);
    if (counts_.add(name) == 0) return name;
    before = counts_.add(text);
  }
}

}  // namespace embd::finalfusion
