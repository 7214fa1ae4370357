#include "engine/encoder/encoder.h"

#include <algorithm>
#include <utility>

namespace embd {
namespace {

/// Returns the number of parts into which a team divides the queries of each head of a text. A
/// single thread, and a team that computes a short text, take whole heads.
std::int64_t parts_of_text(std::int64_t seq_len, int members) noexcept {
  constexpr std::int64_t long_text = 512;
  constexpr std::int64_t most_parts = 8;
  return members > 1 && seq_len >= long_text ? most_parts : 1;
}

/// Calls work(heads, parts) for this member's share of the parts of all heads, for as many heads at
/// a time as have the same parts.
void for_each_part(const TeamMember& member, const kernels::AttentionShape& shape,
                   std::int64_t parts, const auto& work) {
  const auto [begin, end] = member.share(shape.num_heads * parts);
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t head = at / parts;
    const std::int64_t first = at % parts;
    const bool whole = first == 0 && end - at >= parts;
    const std::int64_t heads = whole ? (end - at) / parts : 1;
    const std::int64_t last = whole ? parts : std::min(parts, first + end - at);
    work(kernels::Range{head, head + heads}, kernels::Range{first, last});
    at += (heads - 1) * parts + last - first;
  }
}

}  // namespace

void Encoder::forward(const PackedTexts& texts, Activations& activations, int threads,
                      const std::stop_token& stop) const {
  embed(texts, activations, threads);
  run_team(threads, [&](const TeamMember& member) {
    for (std::size_t i = 0; i < weights_.layers().size(); ++i) {
      // Members of a team that saw the stop at different layers would wait for each other forever.
      if (member.size == 1 && stop.stop_requested()) return;
      layer(i, texts, activations, member);
    }
    norm_last(texts, activations, member);
  });
}

void Encoder::embed(const PackedTexts& texts, Activations& activations, int threads) const {
  const ModelSpec& spec = weights_.spec();
  const Embeddings& embeddings = weights_.embeddings();
  const std::int64_t longest = std::ranges::max(texts.lengths);
  activations.reserve(spec, kernels_, weights_.products(), texts.tokens(), longest, threads);

  std::size_t token = 0;
  float* row = activations.hidden();
  for (const std::int64_t seq_len : texts.lengths) {
    PositionCounter positions = embeddings.positions();
    for (std::int64_t i = 0; i < seq_len; ++i, ++token, row += spec.hidden) {
      const std::int32_t id = texts.ids[token];
      embeddings.sum(id, positions.next(id), texts.types[token], {row, spec.hidden});
    }
  }
  if (const kernels::LayerNorm norm = embeddings.norm(); norm.gamma != nullptr)
    kernels_.layer_norm(activations.hidden(), texts.tokens(), spec.hidden, norm);
}

void Encoder::layer(std::size_t index, const PackedTexts& texts, const Activations& activations,
                    const TeamMember& member, LargestInputs* largest) const {
  const ModelSpec& spec = weights_.spec();
  const EncoderLayer& layer = weights_.layers()[index];
  const kernels::Products& products = weights_.products();
  const std::int64_t tokens = texts.tokens();
  float* hidden = activations.hidden();
  float* scratch = activations.scratch(member);

  const bool norms_before = spec.architecture.norms_before();
  const LayerRows rows = {kernels_, products, tokens, hidden, scratch, member, largest};
  const float* x = hidden;
  if (norms_before && layer.attention_norm.gamma != nullptr) {
    // No step needs the context yet.
    normed_copy(rows, hidden, tokens, spec.hidden, layer.attention_norm, activations.context());
    x = activations.context();
  }
  note_inputs(rows, x, tokens, spec.hidden, &LargestInputs::attention);
  products.linear({x, tokens, spec.hidden}, layer.query_key_value,
                  member.share(layer.query_key_value.out, products.panel), scratch,
                  activations.qkv());
  member.wait();
  rotate(index, texts, activations, member);
  attend(index, texts, activations, member);
  member.wait();
  if (layer.attention_result_norm.gamma != nullptr) {
    // No step needs the queries, keys and values any more.
    linear_norm_add(rows, activations.context(), layer.attention_output,
                    layer.attention_result_norm, activations.qkv());
  } else {
    linear_add_norm(rows, activations.context(), layer.attention_output,
                    norms_before ? kernels::LayerNorm{} : layer.attention_norm);
  }
  if (spec.architecture.feed_forward == FeedForward::plain) {
    feed_forward(rows, layer.up, layer.down, layer.output_norm, activations.middle());
    return;
  }
  gated_feed_forward(rows,
                     {.gate_up = layer.up,
                      .down = layer.down,
                      .norm = layer.output_norm,
                      .norm_precedes = norms_before,
                      .result_norm = layer.output_result_norm,
                      .activation = spec.architecture.activation},
                     activations.context(), activations.middle());
}

void Encoder::rotate(std::size_t index, const PackedTexts& texts, const Activations& activations,
                     const TeamMember& member) const {
  const ModelSpec& spec = weights_.spec();
  if (spec.architecture.positions != Positions::rotation) return;
  const EncoderLayer& layer = weights_.layers()[index];
  float* qkv = activations.qkv();
  for (const std::int64_t seq_len : texts.lengths) {
    const kernels::AttentionShape shape = attention_shape(spec, seq_len);
    const kernels::Range own = member.share(shape.num_heads + shape.key_heads());
    if (layer.query_norm.gamma != nullptr) norm_heads(layer, shape, own, qkv);
    weights_.rotation(index).apply(qkv, shape, own);
    qkv += seq_len * shape.qkv_width();
  }
  member.wait();
}

void Encoder::norm_heads(const EncoderLayer& layer, const kernels::AttentionShape& shape,
                         kernels::Range heads, float* qkv) const {
  const std::int64_t dim = shape.head_dim;
  const kernels::Range queries = {heads.begin, std::min(heads.end, shape.num_heads)};
  const kernels::Range keys = {std::max(heads.begin, shape.num_heads), heads.end};
  for (std::int64_t i = 0; i < shape.seq_len; ++i, qkv += shape.qkv_width()) {
    for (const auto& [of, norm] : {std::pair(queries, layer.query_norm), {keys, layer.key_norm}})
      if (of.begin < of.end)
        kernels_.layer_norm(qkv + of.begin * dim, of.end - of.begin, dim, norm);
  }
}

void Encoder::attend(std::size_t index, const PackedTexts& texts, const Activations& activations,
                     const TeamMember& member) const {
  const ModelSpec& spec = weights_.spec();
  const bool has_band = spec.architecture.window(index) != 0 || spec.architecture.causal;
  float* const scratch = activations.scratch(member);
  const float* qkv = activations.qkv();
  float* context = activations.context();
  for (const std::int64_t seq_len : texts.lengths) {
    const kernels::AttentionShape shape = attention_shape(spec, seq_len);
    const kernels::Attention& attention = kernels_.attention_with(weights_.products(), seq_len);
    const std::int64_t parts =
        has_band ? weights_.band().num_blocks(seq_len) : parts_of_text(seq_len, member.size);
    for_each_part(member, shape, parts, [&](kernels::Range heads, kernels::Range own) {
      if (has_band) {
        weights_.band().compute(attention, qkv, shape, heads, own, scratch, context);
        return;
      }
      kernels::AttentionShape part = shape;
      if (parts > 1) part.some_queries = {seq_len * own.begin / parts, seq_len * own.end / parts};
      attention.compute(qkv, part, weights_.bias(), heads, scratch, context);
    });
    qkv += seq_len * shape.qkv_width();
    context += seq_len * shape.width();
  }
}

void Encoder::norm_last(const PackedTexts& texts, const Activations& activations,
                        const TeamMember& member) const {
  const kernels::LayerNorm norm = weights_.final_norm();
  if (norm.gamma == nullptr) return;
  const std::int64_t hidden = weights_.spec().hidden;
  const kernels::Range own = member.share(texts.tokens());
  kernels_.layer_norm(activations.hidden() + own.begin * hidden, own.end - own.begin, hidden, norm);
}

}  // namespace embd
