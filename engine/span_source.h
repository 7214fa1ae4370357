#pragma once

#include <span>
#include <string>
#include <string_view>

#include "embd/model.h"

namespace embd {

/// Texts that the caller holds, as a stream.
class SpanSource final : public TextSource {
 public:
  explicit SpanSource(std::span<const std::string_view> texts) : texts_(texts) {}

  Result<bool> next(std::string& text) override {
    if (texts_.empty()) return false;
    text = texts_.front();
    texts_ = texts_.subspan(1);
    return true;
  }

 private:
  std::span<const std::string_view> texts_;
};

}  // namespace embd
