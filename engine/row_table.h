#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace embd {

/// The rows of texts that a call has computed, by their token ids, so that a text that comes again
/// is not computed again. Of bounded size: what was not asked for longest goes first. Any number of
/// threads.
class RowTable {
 public:
  /// `max_bytes`: of memory, about.
  explicit RowTable(std::size_t max_bytes) : generation_bytes_(max_bytes / 2) {}

  /// Copies the row of a text with exactly these ids, if it is there. `row` is as long as those
  /// that were added.
  bool find(std::span<const std::int32_t> ids, std::span<float> row);
  /// Where there is no memory for it, it is not added.
  void add(std::span<const std::int32_t> ids, std::span<const float> row) noexcept;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view bytes) const noexcept {
      return std::hash<std::string_view>()(bytes);
    }
  };
  using Rows = std::unordered_map<std::string, std::vector<float>, Hash, std::equal_to<>>;

  void make_room(std::size_t bytes) noexcept;

  const std::size_t generation_bytes_;
  std::mutex mutex_;
  // What is asked for moves to the recent ones; when these are half of the memory, they become the
  // old ones, and those that nobody asked for meanwhile go.
  Rows recent_;
  Rows old_;
  std::size_t recent_bytes_ = 0;
};

}  // namespace embd
