#include "engine/encoder/encoder.h"

#include <algorithm>

#include "engine/encoder/residual.h"

namespace embd {

void Encoder::forward(const PackedTexts& texts, Activations& activations, int threads,
                      const std::stop_token& stop) const {
  embed(texts, activations, threads);
  run_team(threads, [&](const TeamMember& member) {
    for (std::size_t i = 0; i < weights_.layers().size(); ++i) {
      // Members of a team that saw the stop at different layers would wait for each other forever.
      if (member.size == 1 && stop.stop_requested()) return;
      layer(i, texts, activations, member);
    }
  });
}

void Encoder::embed(const PackedTexts& texts, Activations& activations, int threads) const {
  const ModelSpec& spec = weights_.spec();
  const Embeddings& embeddings = weights_.embeddings();
  activations.reserve(spec, kernels_, weights_.products(), texts.tokens(),
                      std::ranges::max(texts.lengths), threads);

  std::size_t token = 0;
  float* row = activations.hidden();
  for (const std::int64_t seq_len : texts.lengths) {
    PositionCounter positions = embeddings.positions();
    for (std::int64_t i = 0; i < seq_len; ++i, ++token, row += spec.hidden) {
      const std::int32_t id = texts.ids[token];
      embeddings.sum(id, positions.next(id), texts.types[token], {row, spec.hidden});
    }
  }
  kernels_.layer_norm(activations.hidden(), texts.tokens(), spec.hidden, embeddings.norm());
}

void Encoder::layer(std::size_t index, const PackedTexts& texts, const Activations& activations,
                    const TeamMember& member) const {
  const ModelSpec& spec = weights_.spec();
  const EncoderLayer& layer = weights_.layers()[index];
  const kernels::Products& products = weights_.products();
  const std::int64_t tokens = texts.tokens();
  float* hidden = activations.hidden();
  float* scratch = activations.scratch(member);

  products.linear({hidden, tokens, spec.hidden}, layer.query_key_value,
                  member.share(layer.query_key_value.out, products.panel), scratch,
                  activations.qkv());
  member.wait();
  const kernels::Attention& attention = kernels_.attention_with(products);
  std::int64_t first = 0;
  for (const std::int64_t seq_len : texts.lengths) {
    attention.compute(activations.qkv() + first * 3 * spec.hidden,
                      {seq_len, spec.num_heads, spec.head_dim()}, weights_.bias(),
                      member.share(spec.num_heads), scratch,
                      activations.context() + first * spec.hidden);
    first += seq_len;
  }
  member.wait();
  const LayerRows rows = {kernels_, products, tokens, hidden, scratch, member};
  linear_add_norm(rows, activations.context(), layer.attention_output, layer.attention_norm);
  feed_forward(rows, layer.up, layer.down, layer.output_norm, activations.middle());
}

}  // namespace embd
