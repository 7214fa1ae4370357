#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "engine/encoder/team.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/model_spec.h"

namespace embd {

/// The tokens of several texts, one text after the other, without padding.
struct PackedTexts {
  std::vector<std::int32_t> ids;      // [tokens]
  std::vector<std::uint8_t> types;    // [tokens]
  std::vector<std::int64_t> lengths;  // tokens of each text

  std::int64_t tokens() const noexcept { return static_cast<std::int64_t>(ids.size()); }
  void clear() noexcept {
    ids.clear();
    types.clear();
    lengths.clear();
  }
};

/// Returns the sizes of the attention of a text.
kernels::AttentionShape attention_shape(const ModelSpec& spec, std::int64_t seq_len) noexcept;

/// The memory that a forward pass over packed tokens writes to. It grows when necessary and is then
/// kept, so that a worker allocates it once.
class Activations {
 public:
  /// Allocates memory for `tokens` tokens in texts of up to `longest` tokens, computed by a team of
  /// `members` threads. The content is lost. Throws std::bad_alloc.
  void reserve(const ModelSpec& spec, const kernels::Kernels& kernels,
               const kernels::Products& products, std::int64_t tokens, std::int64_t longest,
               int members);

  /// Allocates memory for hidden() alone. The content is lost. Throws std::bad_alloc.
  void reserve_rows(std::int64_t tokens, std::int64_t hidden);

  float* hidden() const noexcept { return hidden_; }    // [tokens, hidden]
  float* qkv() const noexcept { return qkv_; }          // [tokens, qkv_width(), at least hidden]
  float* context() const noexcept { return context_; }  // [tokens, hidden or width(), the larger]
  float* middle() const noexcept { return middle_; }    // the widest one, see feed_forward()
  /// Returns memory for one operation at a time of this member of the team.
  float* scratch(const TeamMember& member) const noexcept {
    return scratch_ + static_cast<std::size_t>(member.index) * scratch_size_;
  }

 private:
  void grow(std::size_t floats);

  AlignedBuffer buffer_;
  float* hidden_ = nullptr;
  float* qkv_ = nullptr;
  float* context_ = nullptr;
  float* middle_ = nullptr;
  float* scratch_ = nullptr;
  std::size_t scratch_size_ = 0;
};

}  // namespace embd
