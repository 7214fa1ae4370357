#include "tokenizer/unigram/normalized_text.h"

#include <array>
#include <optional>

#include "tokenizer/unigram/grapheme_cluster.h"
#include "tokenizer/utf8_decode.h"

namespace embd::unigram {
namespace {

constexpr std::string_view replacement_character = "\xef\xbf\xbd";

/// Clusters of fewer bytes are looked up as a whole.
constexpr std::size_t cluster_limit = 6;

/// The UTF-8 of a code point that was read from `source`.
std::string_view utf8(std::string_view source, char32_t code_point) noexcept {
  return code_point == 0xfffd ? replacement_character : source;
}

/// The UTF-8 of a short cluster, in which what is malformed is replaced.
class RepairedCluster {
 public:
  explicit RepairedCluster(std::string_view source) noexcept {
    const char* const end = source.data() + source.size();
    for (const char* at = source.data(); at < end;) {
      const DecodedCodePoint decoded = decode_utf8(at, end);
      for (const char byte : utf8({at, decoded.size}, decoded.code_point)) bytes_[size_++] = byte;
      at += decoded.size;
    }
  }
  std::string_view text() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, cluster_limit> bytes_;
  std::size_t size_ = 0;
};

}  // namespace

/// Takes plain characters, up to the last one that cannot share a cluster with what follows.
std::string_view NormalizedText::take_plain() noexcept {
  const char* const begin = at_;
  const char* last = at_;  // the plain character before at_
  while (at_ < end_) {
    const DecodedCodePoint decoded = decode_utf8(at_, end_);
    if (!normalizer_->is_plain(decoded.code_point)) {
      // ASCII never joins a plain character.
      if (decoded.code_point >= 0x80) at_ = last;
      break;
    }
    last = at_;
    at_ += decoded.size;
  }
  return {begin, at_};
}

void NormalizedText::take_code_point() noexcept {
  const DecodedCodePoint decoded = decode_utf8(at_, end_);
  source_ = {at_, decoded.size};
  const std::string_view text = utf8(source_, decoded.code_point);
  rest_ = normalizer_->map().replacement(text).value_or(text);
  at_ += decoded.size;
}

/// Takes the next cluster, if it is replaced as a whole; otherwise its first code point.
void NormalizedText::take_cluster() noexcept {
  const DecodedCodePoint first = decode_utf8(at_, end_);
  ClusterBreaks breaks(first.code_point);
  std::size_t size = 0;  // of the cluster's UTF-8
  bool is_repaired = false;
  cluster_end_ = at_;
  for (DecodedCodePoint next = first;;) {
    is_repaired |= next.code_point == 0xfffd;
    size += next.code_point == 0xfffd ? replacement_character.size() : next.size;
    cluster_end_ += next.size;
    if (cluster_end_ == end_) break;
    next = decode_utf8(cluster_end_, end_);
    if (!breaks.joins(next.code_point)) break;
  }

  const std::string_view source(at_, cluster_end_);
  std::optional<std::string_view> replacement;
  if (size < cluster_limit) {
    replacement =
        normalizer_->map().replacement(is_repaired ? RepairedCluster(source).text() : source);
  }
  const bool is_code_point = source.size() == first.size;
  if (!replacement && !is_code_point) return take_code_point();
  source_ = source;
  rest_ = replacement.value_or(utf8(source, first.code_point));
  at_ = cluster_end_;
}

bool NormalizedText::next(NormalizedCharacter& character) noexcept {
  while (rest_.empty()) {
    if (at_ == end_) return false;
    if (at_ < cluster_end_) {
      take_code_point();
      continue;
    }
    const std::string_view plain = take_plain();
    if (!plain.empty()) {
      character = {plain, plain, 0};
      return true;
    }
    take_cluster();
  }
  const DecodedCodePoint decoded = decode_utf8(rest_.data(), rest_.data() + rest_.size());
  character = {rest_.substr(0, decoded.size), source_, decoded.code_point};
  rest_.remove_prefix(decoded.size);
  return true;
}

}  // namespace embd::unigram
