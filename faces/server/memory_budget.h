#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <utility>

namespace embd::server {

/// A limit on the bytes that all current requests hold together. Any number of threads may call any
/// member at once.
class MemoryBudget {
 public:
  /// A number of bytes that is reserved until the object is destroyed. It can be moved, not copied,
  /// and must not outlive the budget.
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

  /// Reserves bytes. Returns nothing if fewer are left.
  std::optional<Share> take(std::size_t bytes) noexcept {
    if (!reserve(bytes)) return std::nullopt;
    return Share(*this, bytes);
  }
  /// Grows a share to at least `bytes`. The share must be empty or of this budget. Returns false
  /// and leaves the share unchanged if too few bytes are left.
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
