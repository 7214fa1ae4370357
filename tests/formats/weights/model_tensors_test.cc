#include "formats/weights/model_tensors.h"

#include <gtest/gtest.h>

#include <set>

#include "base/try.h"

namespace embd {
namespace {

const ModelSpec spec = {.hidden = 6,
                        .num_layers = 3,
                        .num_heads = 2,
                        .intermediate = 10,
                        .vocab_size = 7,
                        .max_positions = 12};

std::vector<ModelTensor> tensors_of(const ModelSpec& of) {
  std::vector<ModelTensor> tensors;
  EXPECT_TRUE(for_each_tensor(of, [&](const ModelTensor& tensor) -> Result<void> {
    tensors.push_back(tensor);
    return {};
  }));
  return tensors;
}

TEST(ModelTensors, AModelHasSixteenTensorsALayer) {
  const auto tensors = tensors_of(spec);
  EXPECT_EQ(tensors.size(), 5U + 3 * 16);
  std::set<std::string> names;
  for (const ModelTensor& tensor : tensors) names.insert(tensor.name);
  EXPECT_EQ(names.size(), tensors.size());
  EXPECT_EQ(tensors.front().name, "embeddings.word_embeddings.weight");
  EXPECT_EQ(tensors.back().name, "encoder.layer.2.output.LayerNorm.bias");
}

TEST(ModelTensors, ANameAndAShapeAreThoseOfTheList) {
  for (const ModelTensor& tensor : tensors_of(spec)) {
    const std::uint32_t layer = layer_of(tensor.name).value_or(0);
    if (tensor.name == weight_name(tensor.module, layer)) {
      EXPECT_EQ(tensor.shape, weight_shape(tensor.module, spec)) << tensor.name;
    } else {
      EXPECT_EQ(tensor.name, bias_name(tensor.module, layer));
      EXPECT_EQ(tensor.shape, TensorShape({weight_shape(tensor.module, spec).dims[0]}));
    }
  }
}

TEST(ModelTensors, TheFirstErrorEndsTheVisit) {
  ModelSpec hostile = spec;
  hostile.num_layers = ~0U;
  int visited = 0;
  const auto result = for_each_tensor(hostile, [&](const ModelTensor&) -> Result<void> {
    if (++visited < 30) return {};
    return fail(ErrorCode::tensor_missing, "enough");
  });
  EXPECT_EQ(result.error().what(), "enough");
  EXPECT_EQ(visited, 30);
}

TEST(ModelTensors, ACheckpointMayHavePrefixesAndOlderNames) {
  using Names = std::vector<std::string>;
  for (const ModelTensor& tensor : tensors_of(spec)) {
    if (tensor.name == "encoder.layer.1.output.LayerNorm.bias") {
      EXPECT_EQ(checkpoint_names(tensor), (Names{"encoder.layer.1.output.LayerNorm.bias",
                                                 "bert.encoder.layer.1.output.LayerNorm.bias",
                                                 "encoder.layer.1.output.LayerNorm.beta",
                                                 "bert.encoder.layer.1.output.LayerNorm.beta"}));
    } else if (tensor.name == "encoder.layer.1.output.dense.bias") {
      EXPECT_EQ(checkpoint_names(tensor), (Names{"encoder.layer.1.output.dense.bias",
                                                 "bert.encoder.layer.1.output.dense.bias"}));
    }
  }
}

TEST(ModelTensors, TheLayerIsInTheName) {
  EXPECT_EQ(layer_of("encoder.layer.3.output.dense.bias"), 3U);
  EXPECT_EQ(layer_of("encoder.layer.99999999999.x"), ~0U);
  for (const char* name : {"encoder.layer.", "encoder.layer.3", "encoder.layer.x.y", "pooler.dense",
                           "embeddings.LayerNorm.bias"})
    EXPECT_EQ(layer_of(name), std::nullopt) << name;
}

TEST(ModelTensors, WitnessesAreTensorsOfTheModelThatTellTheNumber) {
  for (const Witness& witness : witnesses()) {
    bool is_found = false;
    for (const ModelTensor& tensor : tensors_of(spec)) {
      if (tensor.name != witness.tensor) continue;
      is_found = true;
      EXPECT_EQ(tensor.shape.dims[witness.dim], spec.*witness.number);
    }
    EXPECT_TRUE(is_found) << witness.tensor;
  }
}

TEST(ModelTensors, RowsFitByTheirRule) {
  EXPECT_TRUE(fits(RowRule::exact, 3, 3));
  EXPECT_FALSE(fits(RowRule::exact, 4, 3));
  EXPECT_TRUE(fits(RowRule::at_least, 4, 3));
  EXPECT_FALSE(fits(RowRule::at_least, 2, 3));
  EXPECT_TRUE(fits(RowRule::any, 1, 3));
}

}  // namespace
}  // namespace embd
