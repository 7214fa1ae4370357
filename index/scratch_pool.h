#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace embd {

/// What searches of an index work in, kept from one to the next; any number of threads.
template <class Scratch>
class ScratchPool {
 public:
  std::unique_ptr<Scratch> take() {
    {
      const std::scoped_lock lock(mutex_);
      if (!idle_.empty()) {
        auto scratch = std::move(idle_.back());
        idle_.pop_back();
        return scratch;
      }
    }
    return std::make_unique<Scratch>();
  }
  void give_back(std::unique_ptr<Scratch> scratch) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(scratch));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> idle_;
};

}  // namespace embd
