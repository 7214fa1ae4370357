#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/weights/embd/embd_spec.h"
#include "formats/weights/embd/embd_tensors.h"
#include "formats/weights/embd/embd_tokenizer.h"
#include "formats/weights/embd/embd_writer.h"
#include "formats/weights/model_tensors.h"
#include "tests/tokenizer/unigram/character_map_bytes.h"

namespace embd::test {

/// Returns the spec of a model of the XLM-R family with a few pieces.
inline ModelSpec small_unigram_spec() {
  return {.name = "small",
          .version = "1.0.0",
          .created_at = "1970-01-01T00:00:00Z",
          .hidden = 4,
          .num_layers = 1,
          .num_heads = 2,
          .intermediate = 6,
          .vocab_size = 9,
          .max_positions = 12,
          .position_offset = 2,
          .token_types = 1,
          .tokenizer = TokenizerKind::unigram,
          .max_seq_length = 10,
          .prompts = {{.name = "query", .text = {}}, {.name = "document", .text = {}}},
          .dim = 4};
}

/// Returns the content of the EMBD file of the small model. Its character map replaces `A` by `a`,
/// and its word table has one row more than there are tokens.
inline WeightFileContent small_unigram_content(const ModelSpec& spec = small_unigram_spec()) {
  WeightFileContent content;
  content.metadata = metadata_of(spec);
  content.vocab = {"<s>", "<pad>", "</s>", "<unk>", "▁", "a", "▁a", "b", "<mask>"};
  content.special = {.pad = 1, .unk = 3, .cls = 0, .sep = 2, .mask = 8};
  const auto added = for_each_tensor(spec, [&](const ModelTensor& tensor) -> Result<void> {
    TensorShape shape = tensor.shape;
    if (tensor.module == Module::word_embeddings) ++shape.dims[0];
    std::vector<float> values(shape.dims[0] * (shape.rank == 2 ? shape.dims[1] : 1));
    auto seed = static_cast<float>(tensor.name.size());
    for (float& value : values) value = std::sin(seed += 0.7F);
    content.tensors.push_back({tensor.name, ElementType::f32, shape,
                               [values](std::vector<std::byte>& bytes) -> Result<void> {
                                 bytes = encode_floats(ElementType::f32, values);
                                 return {};
                               }});
    return {};
  });
  EXPECT_TRUE(added);
  const std::vector<double> scores = {0, 0, 0, 0, -2, -3, -1.5, -3.25, 0};
  auto tables =
      unigram_tensors(content.vocab, scores, embd::testing::character_map_bytes({{"A", "a"}}))
          .value();
  for (TensorSource& table : tables) content.tensors.push_back(std::move(table));
  return content;
}

/// Replaces a tensor by other values of `type`.
inline void replace_tensor(WeightFileContent& content, std::string_view name, ElementType type,
                           TensorShape shape, std::span<const std::byte> values) {
  for (TensorSource& tensor : content.tensors) {
    if (tensor.name != name) continue;
    tensor.type = type;
    tensor.shape = shape;
    tensor.read = [copy = std::vector(values.begin(), values.end())](
                      std::vector<std::byte>& bytes) -> Result<void> {
      bytes = copy;
      return {};
    };
  }
}

}  // namespace embd::test
