#include "tokenizer/unigram/normalized_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

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

/// The bytes of a cluster, as long as it is short.
class ClusterBytes {
 public:
  void append(std::string_view code_point) noexcept {
    if (size_ + code_point.size() < cluster_limit) {
      std::ranges::copy(code_point, bytes_.data() + size_);
    }
    size_ += code_point.size();
  }
  bool is_short() const noexcept { return size_ < cluster_limit; }
  /// All of a short cluster.
  std::string_view text() const noexcept { return {bytes_.data(), size_}; }

 private:
  std::array<char, cluster_limit> bytes_;
  std::size_t size_ = 0;
};

}  // namespace

/// Plain characters up to the last one that cannot share a cluster with what follows: between two
/// ASCII characters there is always a cut, CR LF apart.
std::string_view NormalizedText::take_plain() noexcept {
  const char* stop = std::find_if(at_, end_, [this](char byte) { return !map_->is_plain(byte); });
  if (stop > at_ && stop < end_ && static_cast<std::uint8_t>(*stop) >= 0x80) --stop;
  const char* const begin = std::exchange(at_, stop);
  return {begin, stop};
}

void NormalizedText::take_code_point() noexcept {
  const DecodedCodePoint decoded = decode_utf8(at_, end_);
  source_ = {at_, decoded.size};
  const std::string_view text = utf8(source_, decoded.code_point);
  rest_ = map_->replacement(text).value_or(text);
  at_ += decoded.size;
}

/// Takes the next cluster, if it is replaced as a whole; otherwise its first code point.
void NormalizedText::take_cluster() noexcept {
  const DecodedCodePoint first = decode_utf8(at_, end_);
  const std::string_view first_text = utf8({at_, first.size}, first.code_point);
  ClusterBreaks breaks(first.code_point);
  ClusterBytes cluster;
  cluster.append(first_text);
  cluster_end_ = at_ + first.size;
  while (cluster_end_ < end_) {
    const DecodedCodePoint next = decode_utf8(cluster_end_, end_);
    if (!breaks.joins(next.code_point)) break;
    cluster.append(utf8({cluster_end_, next.size}, next.code_point));
    cluster_end_ += next.size;
  }

  const bool is_code_point = cluster_end_ == at_ + first.size;
  const auto replacement =
      cluster.is_short() ? map_->replacement(cluster.text()) : std::optional<std::string_view>();
  if (!replacement && !is_code_point) return take_code_point();
  source_ = {at_, cluster_end_};
  rest_ = replacement.value_or(first_text);
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
      character = {plain, plain, static_cast<char32_t>(plain.front())};
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
