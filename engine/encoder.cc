#include "engine/encoder.h"

#include <algorithm>

#include "engine/residual.h"

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
  const ModelConfig& config = weights_.config();
  const Embeddings& embeddings = weights_.embeddings();
  activations.reserve(config, kernels_, weights_.products(), texts.tokens(),
                      std::ranges::max(texts.lengths), threads);

  const std::int32_t* id = texts.ids.data();
  float* row = activations.hidden();
  for (const std::int64_t seq_len : texts.lengths) {
    for (std::int64_t position = 0; position < seq_len; ++position) {
      embeddings.sum(*id++, position, {row, static_cast<std::size_t>(config.hidden)});
      row += config.hidden;
    }
  }
  kernels_.layer_norm(activations.hidden(), texts.tokens(), config.hidden, embeddings.norm());
}

void Encoder::layer(std::size_t index, const PackedTexts& texts, const Activations& activations,
                    const TeamMember& member) const {
  const ModelConfig& config = weights_.config();
  const EncoderLayer& layer = weights_.layers()[index];
  const kernels::Products& products = weights_.products();
  const std::int64_t tokens = texts.tokens();
  float* hidden = activations.hidden();
  float* scratch = activations.scratch(member);

  products.linear(hidden, tokens, layer.query_key_value,
                  member.share(layer.query_key_value.out, products.panel), scratch,
                  activations.qkv());
  member.wait();
  const kernels::Attention& attention = kernels_.attention_with(products);
  std::int64_t first = 0;
  for (const std::int64_t seq_len : texts.lengths) {
    attention.compute(activations.qkv() + first * 3 * config.hidden, seq_len, config.num_heads,
                      config.head_dim(), member.share(config.num_heads), scratch,
                      activations.context() + first * config.hidden);
    first += seq_len;
  }
  member.wait();
  linear_add_norm(kernels_, products, activations.context(), tokens, layer.attention_output,
                  layer.attention_norm, scratch, hidden, member);
  feed_forward(kernels_, products, tokens, layer.up, layer.down, layer.output_norm,
               activations.middle(), scratch, hidden, member);
}

}  // namespace embd
