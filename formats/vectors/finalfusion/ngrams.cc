#include "formats/vectors/finalfusion/ngrams.h"

namespace embd::finalfusion {
namespace {

constexpr std::uint64_t fnv64_offset = 0xcbf29ce484222325;
constexpr std::uint64_t fnv64_prime = 0x100000001b3;
constexpr std::uint32_t fnv32_offset = 2166136261;
constexpr std::uint32_t fnv32_prime = 16777619;

bool starts_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

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

}  // namespace

Ngrams::Ngrams(std::string_view word, std::string_view begin_of_word,
               std::string_view end_of_word) {
  bracketed_.reserve(begin_of_word.size() + word.size() + end_of_word.size());
  bracketed_.append(begin_of_word).append(word).append(end_of_word);
  for (std::size_t i = 0; i < bracketed_.size(); ++i)
    if (starts_code_point(bracketed_[i])) starts_.push_back(i);
  starts_.push_back(bracketed_.size());
}

std::uint64_t finalfusion_hash(std::string_view ngram) noexcept {
  const auto count =
      static_cast<std::uint64_t>(std::count_if(ngram.begin(), ngram.end(), starts_code_point));
  std::uint64_t hash = fnv64(fnv64_offset, count, 8);
  while (!ngram.empty()) hash = fnv64(hash, take_code_point(ngram), 4);
  return hash;
}

std::uint32_t fasttext_hash(std::string_view ngram) noexcept {
  std::uint32_t hash = fnv32_offset;
  for (const char c : ngram)
    hash = (hash ^ static_cast<std::uint32_t>(static_cast<std::int8_t>(c))) * fnv32_prime;
  return hash;
}

}  // namespace embd::finalfusion
