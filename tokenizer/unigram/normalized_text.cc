#include "tokenizer/unigram/normalized_text.h"

#include <array>
#include <optional>

#include "base/utf8.h"
#include "tokenizer/unigram/grapheme_cluster.h"

namespace embd::unigram {
namespace {

constexpr std::string_view replacement_character = "\xef\xbf\xbd";

/// The size in bytes below which clusters are looked up as a whole.
constexpr std::size_t cluster_limit = 6;

/// Returns the UTF-8 of a code point that was read from `source`.
std::string_view utf8(std::string_view source, char32_t code_point) noexcept {
  return code_point == 0xfffd ? replacement_character : source;
}

/// The UTF-8 of a short cluster, in which malformed parts are replaced by U+FFFD.
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

bool NormalizedText::Cluster::is_short() const noexcept {
  return size < cluster_limit;
}

/// Returns true if it is certain, without looking into the map, that the whole cluster stays
/// unchanged.
bool NormalizedText::Cluster::needs_no_look() const noexcept {
  return is_kept && (is_code_point || !is_short());
}

NormalizedText::Cluster NormalizedText::read_cluster() const noexcept {
  DecodedCodePoint next = decode_utf8(at_, end_);
  ClusterBreaks breaks(next.code_point);
  const std::size_t first_size = next.size;
  std::size_t size = 0;
  bool is_malformed = false;
  bool is_kept = true;
  const char* cluster_end = at_;
  while (true) {
    size += utf8({cluster_end, next.size}, next.code_point).size();
    is_malformed |= next.code_point == 0xfffd;
    is_kept &= normalizer_->keeps(next.code_point);
    cluster_end += next.size;
    if (cluster_end == end_) break;
    next = decode_utf8(cluster_end, end_);
    if (!breaks.joins(next.code_point)) break;
  }
  const std::string_view source(at_, cluster_end);
  return {source, size, is_malformed, source.size() == first_size, is_kept};
}

/// Moves on over plain characters. The last one is left if it may share a cluster with the
/// character after it.
void NormalizedText::take_plain() noexcept {
  const char* last = at_;  // the plain character before at_
  while (at_ < end_) {
    const DecodedCodePoint decoded = decode_utf8(at_, end_);
    if (!normalizer_->is_plain(decoded.code_point)) {
      // ASCII never joins a plain character.
      if (decoded.code_point >= 0x80) at_ = last;
      return;
    }
    last = at_;
    at_ += decoded.size;
  }
}

/// Moves on over clusters that stay unchanged and returns their bytes. The next cluster is then in
/// cluster_.
std::string_view NormalizedText::take_kept() noexcept {
  const char* const begin = at_;
  while (true) {
    take_plain();
    if (at_ == end_) break;
    cluster_ = read_cluster();
    if (!cluster_.needs_no_look()) break;
    at_ = cluster_.end();
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

/// Reads cluster_ if it is replaced as a whole; otherwise reads its first code point.
void NormalizedText::take_cluster() noexcept {
  if (cluster_.is_short()) {
    std::optional<RepairedCluster> repaired;
    if (cluster_.is_malformed) repaired.emplace(cluster_.source);
    const std::string_view text = repaired ? repaired->text() : cluster_.source;
    if (const auto replacement = normalizer_->map().replacement(text)) {
      source_ = cluster_.source;
      rest_ = *replacement;
      at_ = cluster_.end();
      return;
    }
  }
  take_code_point();
}

bool NormalizedText::next(NormalizedCharacter& character) noexcept {
  while (rest_.empty()) {
    if (at_ == end_) return false;
    if (at_ == cluster_.begin()) {
      take_cluster();
    } else if (at_ < cluster_.end()) {
      take_code_point();
    } else if (const std::string_view kept = take_kept(); !kept.empty()) {
      character = {kept, kept, 0};
      return true;
    }
  }
  const DecodedCodePoint decoded = decode_utf8(rest_.data(), rest_.data() + rest_.size());
  character = {rest_.substr(0, decoded.size), source_, decoded.code_point};
  rest_.remove_prefix(decoded.size);
  return true;
}

}  // namespace embd::unigram
