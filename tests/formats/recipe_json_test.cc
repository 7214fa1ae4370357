#include "formats/recipe_json.h"

#include <gtest/gtest.h>

namespace embd {
namespace {

TEST(RecipeJson, ARoundTripKeepsEveryField) {
  Recipe recipe;
  recipe.model_sha256 = "aa";
  recipe.tokenizer_sha256 = "bb";
  recipe.max_length = 128;
  recipe.pooling = Pooling::max;
  recipe.normalize = false;
  recipe.truncate_dim = 64;
  recipe.model_name = "modèle";
  recipe.prompt = "query: \"";
  recipe.compute = "bf16";
  recipe.instruction_set = "avx2";
  recipe.output_type = "f16";
  recipe.input_sha256 = "cc";
  recipe.windows = Windows::mean;
  recipe.stride = 17;
  recipe.truncation_side = TruncationSide::left;
  recipe.embd_version = "0.1.0";
  EXPECT_EQ(recipe_from_json(recipe_to_json(recipe)).value(), recipe);
  EXPECT_EQ(recipe_from_json(recipe_to_json({})).value(), Recipe());
}

TEST(RecipeJson, IsSortedAscii) {
  Recipe recipe;
  recipe.model_name = "é";
  const std::string json = recipe_to_json(recipe);
  EXPECT_EQ(json.substr(0, 14), R"({"compute":"",)");
  EXPECT_NE(json.find(R"("model_name":"\u00e9")"), std::string::npos);
  EXPECT_NE(json.find(R"("pooling":"mean")"), std::string::npos);
}

TEST(RecipeJson, IgnoresTheUnknownAndRefusesTheWrong) {
  EXPECT_EQ(recipe_from_json(R"({"max_length":7,"later":[]})")->max_length, 7);
  EXPECT_EQ(recipe_from_json("[]").error().code(), ErrorCode::bad_json);
  EXPECT_EQ(recipe_from_json("{").error().code(), ErrorCode::bad_json);
  for (const char* wrong : {R"({"max_length":-1})", R"({"max_length":4294967296})",
                            R"({"pooling":"sum"})", R"({"normalize":1})", R"({"prompt":null})"})
    EXPECT_EQ(recipe_from_json(wrong).error().code(), ErrorCode::bad_value) << wrong;
}

TEST(RecipeJson, OnlyTwoDefinitionsOfInt8CannotBeCompared) {
  const auto differences = [](const char* a, const char* b) {
    Recipe recipe_a;
    Recipe recipe_b;
    recipe_a.compute = a;
    recipe_b.compute = b;
    return fatal_differences(recipe_a, recipe_b);
  };
  EXPECT_EQ(differences("int8", "int8-blocks"), std::vector<std::string>{"compute"});
  EXPECT_EQ(differences("int8-blocks", "int8"), std::vector<std::string>{"compute"});
  for (const char* other : {"", "f32", "bf16", "int8-blocks"})
    EXPECT_TRUE(differences(other, "int8-blocks").empty()) << other;
}

}  // namespace
}  // namespace embd
