#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "embd/tokens.h"

namespace embd {

/// A view of tokens that the caller made, special tokens included.
struct TokenSpan {
  std::span<const std::int32_t> ids;
  std::span<const std::uint8_t> types = {};  ///< as many as ids; empty: all tokens have type 0
};

/// A view of an input that a model makes one row of: a text, a pair of texts, or tokens.
using Input = std::variant<std::string_view, TextPair, TokenSpan>;

/// A view of inputs that are all of the same type.
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

/// Returns the size of an input as text, in bytes; for tokens, an estimate of it.
std::size_t text_bytes(const Input& input) noexcept;

/// Estimates the number of tokens of an input without tokenizing it.
class TokenEstimate {
 public:
  /// `num_special` is the number of special tokens around an input; `max_length` is the number of
  /// tokens that inputs are cut to.
  TokenEstimate(std::size_t num_special, std::int64_t max_length) noexcept
      : num_special_(static_cast<std::int64_t>(num_special)), max_length_(max_length) {}

  std::int64_t operator()(const Input& input) const noexcept;

 private:
  std::int64_t num_special_;
  std::int64_t max_length_;
};

}  // namespace embd
