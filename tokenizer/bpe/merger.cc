#include "tokenizer/bpe/merger.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/try.h"
#include "base/utf8.h"

namespace embd::bpe {
namespace {

/// The number of symbols up to which a word is searched again for each merge.
constexpr std::size_t most_short = 32;
/// The number of symbols whose memory is kept from word to word.
constexpr std::size_t kept_capacity = std::size_t{1} << 14;
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Result<std::span<const Symbol>> Merger::merge(std::string_view word) {
  if (word.size() >= none) {
    return fail(ErrorCode::unsupported, "a word has {} bytes, expected fewer than 2^32",
                word.size());
  }
  symbols_.clear();
  if (of_characters_) {
    read_characters(word);
  } else {
    read_bytes(word, 0, word.size());
  }
  if (symbols_.size() <= most_short) {
    merge_short();
  } else {
    merge_long();
  }
  return symbols_;
}

void Merger::read_characters(std::string_view word) {
  for (std::size_t begin = 0, end = 0; begin < word.size(); begin = end) {
    end = begin + decode_utf8(word.data() + begin, word.data() + word.size()).size;
    if (const auto id = vocabulary_.find(word.substr(begin, end - begin))) {
      symbols_.push_back({*id, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
    } else {
      read_bytes(word, begin, end);
    }
  }
}

void Merger::read_bytes(std::string_view word, std::size_t begin, std::size_t end) {
  for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
    std::int32_t id = vocabulary_.of_byte(word[i]);
    if (id < 0) {
      if (!unk_) continue;
      id = *unk_;
    }
    symbols_.push_back({id, i, i + 1});
  }
}

void Merger::merge_short() {
  const auto rank_at = [&](std::size_t i) {
    if (i + 1 >= symbols_.size()) return Vocabulary::no_rank;
    return vocabulary_.merge(symbols_[i].id, symbols_[i + 1].id).rank;
  };
  ranks_.clear();
  for (std::size_t i = 0; i < symbols_.size(); ++i) ranks_.push_back(rank_at(i));
  while (true) {
    const auto lowest = std::ranges::min_element(ranks_);
    if (lowest == ranks_.end() || *lowest == Vocabulary::no_rank) return;
    const auto i = static_cast<std::size_t>(lowest - ranks_.begin());
    Symbol& symbol = symbols_[i];
    const Symbol& next = symbols_[i + 1];
    symbol = {vocabulary_.merge(symbol.id, next.id).id, symbol.begin, next.end};
    symbols_.erase(symbols_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    ranks_.erase(lowest + 1);
    ranks_[i] = rank_at(i);
    if (i > 0) ranks_[i - 1] = rank_at(i - 1);
  }
}

bool Merger::offer(std::uint32_t place) {
  const std::uint32_t right = links_[place].right;
  if (right == none) return false;
  const Vocabulary::Merge merge = vocabulary_.merge(symbols_[place].id, symbols_[right].id);
  if (merge.rank == Vocabulary::no_rank) return false;
  waiting_.push_back({merge.rank, place, merge.id});
  return true;
}

void Merger::merge_long() {
  const auto size = static_cast<std::uint32_t>(symbols_.size());
  links_.clear();
  for (std::uint32_t i = 0; i < size; ++i)
    links_.push_back({i == 0 ? none : i - 1, i + 1 == size ? none : i + 1});
  waiting_.clear();
  for (std::uint32_t i = 0; i < size; ++i) offer(i);
  std::ranges::make_heap(waiting_, Waiting::is_later);
  const auto offer_to_heap = [&](std::uint32_t place) {
    if (place != none && offer(place)) std::ranges::push_heap(waiting_, Waiting::is_later);
  };
  while (!waiting_.empty()) {
    std::ranges::pop_heap(waiting_, Waiting::is_later);
    const Waiting merge = waiting_.back();
    waiting_.pop_back();
    Links& links = links_[merge.place];
    const std::uint32_t right = links.right;
    if (links.is_gone || right == none) continue;
    // One of the two may have been merged with another in the meantime.
    if (const auto now = vocabulary_.merge(symbols_[merge.place].id, symbols_[right].id);
        now.rank == Vocabulary::no_rank || now.id != merge.id) {
      continue;
    }
    symbols_[merge.place].id = merge.id;
    symbols_[merge.place].end = symbols_[right].end;
    links_[right].is_gone = true;
    links.right = links_[right].right;
    if (links.right != none) links_[links.right].left = merge.place;
    offer_to_heap(links.left);
    offer_to_heap(merge.place);
  }
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < size; ++i)
    if (!links_[i].is_gone) symbols_[kept++] = symbols_[i];
  symbols_.resize(kept);
}

void Merger::shrink() noexcept {
  if (symbols_.capacity() <= kept_capacity && waiting_.capacity() <= 2 * kept_capacity) return;
  symbols_ = {};
  links_ = {};
  waiting_ = {};
}

}  // namespace embd::bpe
