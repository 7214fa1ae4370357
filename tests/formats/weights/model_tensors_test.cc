#include "formats/weights/model_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>

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

ModelSpec cross_encoder() {
  ModelSpec of_pairs = spec;
  of_pairs.head = HeadKind::classifier;
  of_pairs.num_labels = 3;
  return of_pairs;
}

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

TEST(ModelTensors, AClassifierFollowsTheLayers) {
  const auto plain = tensors_of(spec);
  const auto tensors = tensors_of(cross_encoder());
  ASSERT_EQ(tensors.size(), plain.size() + 4);
  EXPECT_EQ(tensors[plain.size()].name, "pooler.dense.weight");
  EXPECT_EQ(tensors[plain.size()].shape, TensorShape({6, 6}));
  EXPECT_EQ(tensors[plain.size() + 2].name, "classifier.weight");
  EXPECT_EQ(tensors[plain.size() + 2].shape, TensorShape({3, 6}));
  EXPECT_EQ(tensors.back().name, "classifier.bias");
  EXPECT_EQ(tensors.back().shape, TensorShape({3}));
  EXPECT_EQ(tensors.back().role, TensorRole::vector);
  EXPECT_FALSE(is_allowed(tensors[plain.size()].role, ElementType::i8));
  EXPECT_TRUE(is_allowed(tensors[plain.size()].role, ElementType::f16));
}

/// A sentence model may have been saved with one type of tokens, as it uses no other.
TEST(ModelTensors, ACrossEncoderNeedsARowForEachType) {
  const auto rule = [](const ModelSpec& of) { return tensors_of(of)[2].checkpoint_rows; };
  EXPECT_EQ(rule(spec), RowRule::one_missing);
  EXPECT_EQ(rule(cross_encoder()), RowRule::exact);
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

TEST(ModelTensors, AnyCheckpointMayHaveMoreWordsThanTokens) {
  for (const ModelSpec& of : {spec, cross_encoder()})
    EXPECT_EQ(tensors_of(of).front().checkpoint_rows, RowRule::at_least);
}

/// Returns the names of the places that a tensor may have. Each is a whole tensor.
std::vector<std::string> checkpoint_names(const ModelSpec& of, std::string_view tensor,
                                          Family family) {
  const std::vector<ModelTensor> all = tensors_of(of);
  std::vector<std::string> names;
  for (const auto& [name, part, parts] :
       checkpoint_places(*std::ranges::find(all, tensor, &ModelTensor::name), family)) {
    names.push_back(name);
    EXPECT_EQ(parts, 1U);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(ModelTensors, ACheckpointMayHavePrefixesAndOlderNames) {
  EXPECT_EQ(
      checkpoint_names(spec, "encoder.layer.1.output.LayerNorm.bias", Family::bert),
      (Names{"encoder.layer.1.output.LayerNorm.bias", "bert.encoder.layer.1.output.LayerNorm.bias",
             "encoder.layer.1.output.LayerNorm.beta",
             "bert.encoder.layer.1.output.LayerNorm.beta"}));
  EXPECT_EQ(checkpoint_names(spec, "encoder.layer.1.output.dense.bias", Family::bert),
            (Names{"encoder.layer.1.output.dense.bias", "bert.encoder.layer.1.output.dense.bias"}));
}

/// The pooler of the encoder, which a RoBERTa may have beside its classifier, is not among them.
TEST(ModelTensors, AFamilyHasNamesOfItsOwn) {
  const ModelSpec pairs = cross_encoder();
  EXPECT_EQ(checkpoint_names(pairs, "pooler.dense.weight", Family::bert),
            (Names{"pooler.dense.weight", "bert.pooler.dense.weight"}));
  EXPECT_EQ(checkpoint_names(pairs, "pooler.dense.weight", Family::roberta),
            (Names{"classifier.dense.weight", "roberta.classifier.dense.weight"}));
  EXPECT_EQ(checkpoint_names(pairs, "classifier.bias", Family::mpnet),
            (Names{"classifier.out_proj.bias", "mpnet.classifier.out_proj.bias"}));
  EXPECT_EQ(checkpoint_names(pairs, "pooler.dense.bias", Family::distilbert),
            (Names{"pre_classifier.bias", "distilbert.pre_classifier.bias"}));
  const std::string query = "encoder.layer.1.attention.self.query.weight";
  EXPECT_EQ(checkpoint_names(spec, query, Family::mpnet)[0],
            "encoder.layer.1.attention.attn.q.weight");
  EXPECT_EQ(checkpoint_names(spec, query, Family::distilbert)[1],
            "distilbert.transformer.layer.1.attention.q_lin.weight");
}

TEST(ModelTensors, ThoseThatAnArchitectureLacksAreNotNeeded) {
  const auto has = [](const ModelSpec& of, std::string_view name) {
    const std::vector<ModelTensor> all = tensors_of(of);
    return std::ranges::find(all, name, &ModelTensor::name) != all.end();
  };
  const std::string_view bias = "encoder.relative_attention_bias.weight";
  const std::string_view types = "embeddings.token_type_embeddings.weight";
  EXPECT_FALSE(has(spec, bias));
  EXPECT_TRUE(has(spec, types));
  ModelSpec mpnet = spec;
  mpnet.architecture.relative_bias = RelativeBias::buckets;
  mpnet.token_types = 0;
  EXPECT_TRUE(has(mpnet, bias));
  EXPECT_FALSE(has(mpnet, types));
  ModelSpec other = spec;
  other.architecture.positions = Positions::rotation;
  other.architecture.biases = Biases::none;
  EXPECT_FALSE(has(other, "embeddings.position_embeddings.weight"));
  EXPECT_FALSE(has(other, "encoder.layer.0.output.dense.bias"));
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
    for (const ModelTensor& tensor : tensors_of(cross_encoder())) {
      if (tensor.name != witness.tensor) continue;
      is_found = true;
      EXPECT_EQ(tensor.shape.dims[witness.dim], cross_encoder().*witness.number);
    }
    EXPECT_TRUE(is_found) << witness.tensor;
  }
}

TEST(ModelTensors, RowsFitByTheirRule) {
  EXPECT_TRUE(fits(RowRule::exact, 3, 3));
  EXPECT_FALSE(fits(RowRule::exact, 4, 3));
  EXPECT_TRUE(fits(RowRule::at_least, 4, 3));
  EXPECT_FALSE(fits(RowRule::at_least, 2, 3));
  EXPECT_TRUE(fits(RowRule::one_missing, 1, 2));
  EXPECT_TRUE(fits(RowRule::one_missing, 4, 2));
  EXPECT_FALSE(fits(RowRule::one_missing, 1, 3));
  EXPECT_FALSE(fits(RowRule::one_missing, 0, 1));
}

}  // namespace
}  // namespace embd
