#include "tokenizer/unigram/word.h"

#include <algorithm>

#include "tokenizer/unigram/options.h"

namespace embd::unigram {
namespace {

/// The number of bytes, and of stretches, whose memory is kept from word to word.
constexpr std::size_t kept_capacity = std::size_t{1} << 16;

bool continues_code_point(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

}  // namespace

void Word::clear(bool keeps_sources) noexcept {
  text_.clear();
  stretches_.clear();
  keeps_sources_ = keeps_sources;
  taken_ = first_stretch_ = 0;
}

void Word::append_mark() {
  text_.append(word_mark);
  if (keeps_sources_) stretches_.push_back({text_.size(), {}, false});
}

void Word::shrink() noexcept {
  if (text_.capacity() > kept_capacity) text_ = {};
  if (stretches_.capacity() > kept_capacity) stretches_ = {};
}

std::string_view Word::source_of(std::size_t index, std::size_t begin,
                                 std::size_t end) const noexcept {
  const SourceStretch& stretch = stretches_[index];
  if (!stretch.is_kept) return stretch.source;
  const std::size_t stretch_begin = begin_of(index);
  std::size_t first = std::max(begin, stretch_begin) - stretch_begin;
  std::size_t last = std::min(end, stretch.end) - stretch_begin;
  // A piece of one byte (byte fallback) stands for the whole character.
  while (first > 0 && continues_code_point(stretch.source[first])) --first;
  while (last < stretch.source.size() && continues_code_point(stretch.source[last])) ++last;
  return stretch.source.substr(first, last - first);
}

std::string_view Word::take_source(std::size_t size) noexcept {
  const std::size_t begin = taken_;
  const std::size_t end = taken_ += size;
  while (first_stretch_ < stretches_.size() && stretches_[first_stretch_].end <= begin) {
    ++first_stretch_;
  }
  std::string_view all;
  for (std::size_t i = first_stretch_; i < stretches_.size() && begin_of(i) < end; ++i) {
    const std::string_view source = source_of(i, begin, end);
    if (source.data() == nullptr) continue;
    const char* const first = all.data() == nullptr ? source.data() : all.data();
    all = {first, source.data() + source.size()};
  }
  return all;
}

}  // namespace embd::unigram
