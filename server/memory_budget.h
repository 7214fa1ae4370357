#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace embd::server {

/// A bound on the bytes that requests under way hold together. Any thread may call any member.
class MemoryBudget {
 public:
  /// Bytes that are given back when this goes. Moved, not copied; must not outlive the budget.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (budget_ != nullptr) budget_->used_.fetch_sub(bytes_);
    }

   private:
    friend class MemoryBudget;
    Share(MemoryBudget& budget, std::size_t bytes) : budget_(&budget), bytes_(bytes) {}
    MemoryBudget* budget_ = nullptr;
    std::size_t bytes_ = 0;
  };

  explicit MemoryBudget(std::size_t bytes) : bytes_(bytes) {}

  /// Nothing where there is not so much left.
  std::optional<Share> take(std::size_t bytes) noexcept {
    if (!reserve(bytes)) return std::nullopt;
    return Share(*this, bytes);
  }
  /// Makes a share of this budget, or an empty one, one of at least `bytes`; false, and the share
  /// as it was, where there is not so much left.
  bool extend(Share& share, std::size_t bytes) noexcept {
    if (bytes <= share.bytes_) return true;
    if (!reserve(bytes - share.bytes_)) return false;
    share.budget_ = this;
    share.bytes_ = bytes;
    return true;
  }

 private:
  bool reserve(std::size_t bytes) noexcept {
    std::size_t used = used_.load();
    do {
      if (bytes > bytes_ - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes));
    return true;
  }

  const std::size_t bytes_;
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace embd::server
