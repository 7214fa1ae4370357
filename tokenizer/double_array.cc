#include "tokenizer/double_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <optional>

#include "base/try.h"

namespace embd {
namespace {

constexpr std::uint32_t block_size = 256;

/// A set of numbers below 256. It begins with all of them.
class ByteSet {
 public:
  ByteSet() noexcept { words_.fill(~std::uint64_t{0}); }

  bool contains(std::uint32_t element) const noexcept {
    return (words_[element / 64] >> element % 64 & 1) != 0;
  }
  void remove(std::uint32_t element) noexcept {
    words_[element / 64] &= ~(std::uint64_t{1} << element % 64);
  }
  /// Returns the smallest element that is at least `from`, or 256.
  std::uint32_t next(std::uint32_t from) const noexcept {
    while (from < block_size) {
      const std::uint64_t word = words_[from / 64] >> from % 64;
      if (word != 0) return from + static_cast<std::uint32_t>(std::countr_zero(word));
      from = from / 64 * 64 + 64;
    }
    return block_size;
  }

 private:
  std::array<std::uint64_t, 4> words_;
};

/// A block of 256 units, with the units that are still free and the bases that are still unused.
struct Block {
  std::uint32_t begin;
  ByteSet free;   ///< units that nothing occupies
  ByteSet bases;  ///< units that are not the base of another unit
};

struct Key {
  std::string_view text;
  std::uint32_t number;
};

/// A node of the trie: the keys that share their first `depth` bytes, which lead to `unit`.
struct Node {
  std::size_t begin;
  std::size_t end;
  std::size_t depth;
  std::uint32_t unit;
};

class Builder {
 public:
  /// `keys` are sorted and distinct, none of them empty.
  explicit Builder(std::span<const Key> keys) : keys_(keys) {}

  Result<std::vector<std::uint32_t>> build() {
    add_block();
    open_blocks_.front().free.remove(0);
    std::vector<Node> nodes;
    if (!keys_.empty()) nodes.push_back({0, keys_.size(), 0, 0});
    while (!nodes.empty()) {
      const Node node = nodes.back();
      nodes.pop_back();
      read_children(node);
      const std::optional<std::uint32_t> base = place_children(node.unit);
      if (!base) {
        return fail(ErrorCode::bad_count,
                    "a trie of {} tokens needs more units than its offsets can address",
                    keys_.size());
      }
      units_[node.unit] |= offset_bits(node.unit ^ *base);
      for (const Child& child : children_) {
        const std::uint32_t unit = *base ^ child.label;
        if (child.label == 0) {
          units_[node.unit] |= DoubleArray::ends_key_bit;
          units_[unit] = DoubleArray::number_bit | keys_[child.begin].number;
        } else {
          units_[unit] = child.label;
          nodes.push_back({child.begin, child.end, node.depth + 1, unit});
        }
      }
    }
    return std::move(units_);
  }

 private:
  /// A child of a node: the keys that continue with the same byte or, for the label 0, the key that
  /// ends there.
  struct Child {
    std::uint32_t label;
    std::size_t begin;
    std::size_t end;
  };

  /// The number of blocks that are searched for room. More blocks would give a fuller table, but
  /// take longer.
  static constexpr std::size_t max_open_blocks = 16;
  static constexpr std::uint32_t max_plain_offset = 1U << 21;
  static constexpr std::size_t max_units = std::size_t{1} << 29;

  static std::uint32_t offset_bits(std::uint32_t offset) noexcept {
    return offset < max_plain_offset ? offset << 10 : offset << 2 | 0x200U;
  }

  void read_children(const Node& node) {
    children_.clear();
    for (std::size_t i = node.begin; i < node.end; ++i) {
      const std::string_view text = keys_[i].text;
      const std::uint32_t label =
          text.size() == node.depth ? 0 : static_cast<std::uint8_t>(text[node.depth]);
      if (children_.empty() || children_.back().label != label) children_.push_back({label, i, i});
      children_.back().end = i + 1;
    }
  }

  /// Occupies a unit for each child of `parent`. Returns the base of the units, or nothing if no
  /// base is within reach.
  std::optional<std::uint32_t> place_children(std::uint32_t parent) {
    for (std::size_t i = 0;; ++i) {
      if (i == open_blocks_.size()) {
        if (units_.size() >= max_units) return std::nullopt;
        add_block();
        i = open_blocks_.size() - 1;
      }
      Block& block = open_blocks_[i];
      const std::optional<std::uint32_t> base = find_base(block, parent);
      if (!base) continue;
      block.bases.remove(*base);
      for (const Child& child : children_) block.free.remove(*base ^ child.label);
      const std::uint32_t unit = block.begin + *base;
      if (block.free.next(0) == block_size) {
        open_blocks_.erase(open_blocks_.begin() + static_cast<std::ptrdiff_t>(i));
      }
      return unit;
    }
  }

  /// Returns a base within a block that has room for the children of `parent`.
  std::optional<std::uint32_t> find_base(const Block& block, std::uint32_t parent) const {
    const bool is_far = (parent ^ block.begin) >= max_plain_offset;
    const auto is_free = [&](std::uint32_t base) {
      return std::ranges::all_of(
          children_, [&](const Child& child) { return block.free.contains(base ^ child.label); });
    };
    for (std::uint32_t first = block.free.next(0); first < block_size;
         first = block.free.next(first + 1)) {
      const std::uint32_t base = first ^ children_.front().label;
      // A far offset is a multiple of 256.
      if (is_far && base != parent % block_size) continue;
      if (block.bases.contains(base) && is_free(base)) return base;
    }
    return std::nullopt;
  }

  void add_block() {
    if (open_blocks_.size() == max_open_blocks) open_blocks_.erase(open_blocks_.begin());
    open_blocks_.push_back({.begin = static_cast<std::uint32_t>(units_.size())});
    units_.resize(units_.size() + block_size);
  }

  std::span<const Key> keys_;
  std::vector<std::uint32_t> units_;
  std::vector<Block> open_blocks_;  ///< in the order of their units
  std::vector<Child> children_;     ///< of the node that is being placed
};

/// Returns the keys, sorted, without empty keys. Of equal keys, only the last one remains.
std::vector<Key> sorted_keys(std::span<const std::string_view> texts) {
  std::vector<Key> keys;
  keys.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].empty()) keys.push_back({texts[i], static_cast<std::uint32_t>(i)});
  }
  std::ranges::sort(keys, [](const Key& a, const Key& b) {
    const int order = a.text.compare(b.text);
    return order != 0 ? order < 0 : a.number > b.number;
  });
  const auto repeated = std::ranges::unique(keys, {}, &Key::text);
  keys.erase(repeated.begin(), repeated.end());
  return keys;
}

/// Collects the units that the walks of all keys meet, and the bases of these units.
class Check {
 public:
  explicit Check(std::span<const std::uint32_t> units)
      : units_(units), met_(units.size()), is_base_(units.size()) {}

  /// Follows a key. Returns its number, if it has one.
  std::optional<std::uint32_t> walk(std::string_view key) {
    if (units_.empty()) return std::nullopt;
    std::uint32_t at = 0;
    for (const char byte : key) {
      const std::uint32_t label = static_cast<std::uint8_t>(byte);
      const auto base = enter(at);
      if (!base || label == 0 || (*base ^ label) >= units_.size()) return std::nullopt;
      at = *base ^ label;
      if ((units_[at] & DoubleArray::label_mask) != label) return std::nullopt;
    }
    const auto base = enter(at);
    if (!base || (units_[at] & DoubleArray::ends_key_bit) == 0) return std::nullopt;
    if ((units_[*base] & DoubleArray::number_bit) == 0) return std::nullopt;
    num_numbers_ += !met_[*base];
    met_[*base] = true;
    return units_[*base] & ~DoubleArray::number_bit;
  }

  /// Returns the first unit that is not 0 although no key needs it, or where a key seems to end
  /// that is no key.
  std::optional<std::size_t> first_superfluous() const {
    // The root has neither a label nor a number.
    if (!units_.empty() &&
        (units_[0] & (DoubleArray::label_mask | DoubleArray::ends_key_bit)) != 0) {
      return 0;
    }
    std::size_t num_ends = 0;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (!met_[i] && units_[i] != 0) return i;
      if ((units_[i] & DoubleArray::number_bit) != 0) continue;
      if ((units_[i] & DoubleArray::ends_key_bit) != 0 && ++num_ends > num_numbers_) return i;
    }
    return std::nullopt;
  }

 private:
  /// Returns the base of a unit. No other unit may have it, because two units with the same base
  /// would share their children; nothing is returned then.
  std::optional<std::uint32_t> enter(std::uint32_t at) {
    const std::uint32_t base = at ^ DoubleArray::offset_of(units_[at]);
    if (base >= units_.size() || (!met_[at] && is_base_[base])) return std::nullopt;
    met_[at] = true;
    is_base_[base] = true;
    return base;
  }

  std::span<const std::uint32_t> units_;
  std::vector<bool> met_;
  std::vector<bool> is_base_;
  std::size_t num_numbers_ = 0;
};

}  // namespace

Result<std::vector<std::uint32_t>> build_double_array(std::span<const std::string_view> keys) try {
  if (keys.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    return fail(ErrorCode::bad_count, "there are {} tokens for the trie, expected at most 2^31 - 1",
                keys.size());
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].contains('\0')) {
      return fail(ErrorCode::bad_value, "token {} contains a byte 0, which a trie cannot hold", i);
    }
  }
  return Builder(sorted_keys(keys)).build();
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "there is not enough memory for a trie of {} tokens",
              keys.size());
}

Result<void> check_double_array(std::span<const std::uint32_t> units,
                                std::span<const std::string_view> keys) try {
  Check check(units);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].empty()) continue;
    const auto number = check.walk(keys[i]);
    // Of equal keys, the last one counts.
    const bool leads_there =
        number &&
        (*number == i || (*number > i && *number < keys.size() && keys[*number] == keys[i]));
    if (!leads_there) {
      return fail(ErrorCode::bad_value,
                  "the trie of the tokenizer does not contain token {}, \"{}\", at its place", i,
                  keys[i]);
    }
  }
  if (const auto unit = check.first_superfluous()) {
    return fail(ErrorCode::bad_value, "unit {} of the trie of the tokenizer belongs to no token",
                *unit);
  }
  return {};
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "there is not enough memory to check {} tokens",
              keys.size());
}

}  // namespace embd
