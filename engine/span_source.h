#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "embd/model.h"
#include "engine/input.h"

namespace embd {

/// A stream of texts that the caller holds. All inputs must be texts and must outlive the stream.
class SpanSource final : public TextSource {
 public:
  explicit SpanSource(const Inputs& texts) : texts_(texts) {}

  Result<bool> next(std::string& text) override {
    if (next_ == texts_.size()) return false;
    text = std::get<std::string_view>(texts_[next_++]);
    return true;
  }

 private:
  const Inputs texts_;
  std::size_t next_ = 0;
};

}  // namespace embd
