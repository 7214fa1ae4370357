#include "tokenizer/aligned_text.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace embd {
namespace {

/// The number of bytes whose memory is kept from text to text.
constexpr std::size_t kept_capacity = std::size_t{1} << 16;

}  // namespace

void add_stretch(std::vector<SourceStretch>& stretches, std::size_t end, std::string_view text,
                 std::string_view source) {
  const bool is_kept = text.data() == source.data();
  if (is_kept && !stretches.empty() && stretches.back().is_kept) {
    SourceStretch& last = stretches.back();
    if (last.source.data() + last.source.size() == source.data()) {
      last.source = {last.source.data(), last.source.size() + source.size()};
      last.end = end;
      return;
    }
  }
  stretches.push_back({end, source, is_kept});
}

void AlignedText::append(std::string_view text, std::string_view source) {
  if (text.empty()) return;
  text_.append(text);
  add_stretch(stretches_, text_.size(), text, source);
}

void AlignedText::shrink() noexcept {
  if (text_.capacity() <= kept_capacity) return;
  text_ = {};
  stretches_ = {};
}

std::string_view AlignedText::source_at(std::size_t at) const noexcept {
  const auto stretch = std::ranges::upper_bound(stretches_, at, {}, &SourceStretch::end);
  if (!stretch->is_kept) return stretch->source;
  const std::size_t begin = stretch == stretches_.begin() ? 0 : std::prev(stretch)->end;
  return stretch->source.substr(at - begin, 1);
}

std::string_view AlignedText::source_of(std::string_view part) const noexcept {
  const std::less<const char*> before;
  const char* const end = text_.data() + text_.size();
  if (part.empty() || before(part.data(), text_.data()) || !before(part.data(), end)) return part;
  const auto at = static_cast<std::size_t>(part.data() - text_.data());
  const char* const first = source_at(at).data();
  const std::string_view last = source_at(at + part.size() - 1);
  return {first, last.data() + last.size()};
}

}  // namespace embd
