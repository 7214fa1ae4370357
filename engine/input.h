#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "embd/tokens.h"

namespace embd {

/// Tokens that the caller made, special ones included. A view.
struct TokenSpan {
  std::span<const std::int32_t> ids;
  std::span<const std::uint8_t> types = {};  ///< as many; empty: all of type 0
};

/// One thing that a model makes a row of: a text, a pair of texts, or tokens. A view.
using Input = std::variant<std::string_view, TextPair, TokenSpan>;

/// Inputs of one sort. A view.
class Inputs {
 public:
  Inputs() = default;
  Inputs(std::span<const std::string_view> texts) : inputs_(texts) {}  // NOLINT(*-explicit-*)
  Inputs(std::span<const TextPair> pairs) : inputs_(pairs) {}          // NOLINT(*-explicit-*)
  Inputs(std::span<const TokenSpan> tokens) : inputs_(tokens) {}       // NOLINT(*-explicit-*)

  std::size_t size() const noexcept {
    return std::visit([](const auto& inputs) { return inputs.size(); }, inputs_);
  }
  Input operator[](std::size_t i) const noexcept {
    return std::visit([i](const auto& inputs) { return Input(inputs[i]); }, inputs_);
  }

 private:
  std::variant<std::span<const std::string_view>, std::span<const TextPair>,
               std::span<const TokenSpan>>
      inputs_;
};

/// The size of an input in bytes of text; of tokens, what they would take as text.
std::size_t text_bytes(const Input& input) noexcept;

/// Tells how many tokens an input probably has, before anybody has looked at it.
class TokenEstimate {
 public:
  /// `num_special`: special tokens around an input; `max_length`: tokens that it is cut to.
  TokenEstimate(std::size_t num_special, std::int64_t max_length) noexcept
      : num_special_(static_cast<std::int64_t>(num_special)), max_length_(max_length) {}

  std::int64_t operator()(const Input& input) const noexcept;

 private:
  std::int64_t num_special_;
  std::int64_t max_length_;
};

}  // namespace embd
