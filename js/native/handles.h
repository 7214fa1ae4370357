#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "base/try.h"

namespace embd::js {

/// Things of one kind that are open, under numbers above 0 of which none is used twice.
template <class T>
class Handles {
 public:
  std::int32_t add(T thing) {
    open_.emplace(++last_, std::make_unique<T>(std::move(thing)));
    return last_;
  }
  /// Error: invalid_argument for a number that is none of them.
  Result<T*> find(std::int32_t handle) {
    const auto found = open_.find(handle);
    if (found == open_.end()) return no_such_thing();
    return found->second.get();
  }
  Result<std::int32_t> close(std::int32_t handle) {
    if (open_.erase(handle) == 0) return no_such_thing();
    return 0;
  }

 private:
  static std::unexpected<Error> no_such_thing() {
    return fail(ErrorCode::invalid_argument, "the object was closed, or it was never opened");
  }

  std::map<std::int32_t, std::unique_ptr<T>> open_;
  std::int32_t last_ = 0;
};

}  // namespace embd::js
