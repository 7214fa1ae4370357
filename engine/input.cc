#include "engine/input.h"

#include <algorithm>

namespace embd {
namespace {

/// The number of bytes of a token, on average over prose. The estimate only serves to distribute
/// work and need not be good.
constexpr std::size_t bytes_per_token = 4;

}  // namespace

std::size_t text_bytes(const Input& input) noexcept {
  struct Visitor {
    std::size_t operator()(std::string_view text) const { return text.size(); }
    std::size_t operator()(const TextPair& pair) const {
      return pair.first.size() + pair.second.size();
    }
    std::size_t operator()(const TokenSpan& tokens) const {
      return tokens.ids.size() * bytes_per_token;
    }
  };
  return std::visit(Visitor(), input);
}

std::int64_t TokenEstimate::operator()(const Input& input) const noexcept {
  const auto tokens = static_cast<std::int64_t>(text_bytes(input) / bytes_per_token);
  return std::min(max_length_, tokens + num_special_);
}

}  // namespace embd
