#include "formats/weights/huggingface/classifier_config.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace embd::huggingface {
namespace {

using Labels = std::vector<std::string>;

class ClassifierConfigTest : public test::TemporaryDirectory {
 protected:
  Result<ClassifierConfig> read(const std::string& config, const std::string& activation = "",
                                std::uint32_t least_token_types = 2) {
    std::ofstream(path("config.json")) << config;
    return read_classifier_config(directory(), activation, least_token_types);
  }
  static std::string with(const std::string& members) {
    return R"({"id2label": {"0": "LABEL_0"})" + (members.empty() ? "" : ", " + members) + "}";
  }
};

constexpr const char* identity = "torch.nn.modules.linear.Identity";
constexpr const char* sigmoid = "torch.nn.modules.activation.Sigmoid";

TEST_F(ClassifierConfigTest, LabelsAreInTheOrderOfTheirNumbers) {
  EXPECT_EQ(read(R"({"id2label": {"10": "k", "0": "a", "1": "b", "2": "c", "3": "d", "4": "e",
                     "5": "f", "6": "g", "7": "h", "8": "i", "9": "j"}})")
                ->labels,
            (Labels{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"}));
  EXPECT_EQ(read("{}")->labels, (Labels{"LABEL_0", "LABEL_1"}));
}

TEST_F(ClassifierConfigTest, LabelsThatAreNoListAreRefused) {
  for (const char* labels : {R"({"1": "a"})", R"({"0": "a", "2": "b"})", R"({"0": 1})"})
    EXPECT_EQ(read(std::string(R"({"id2label": )") + labels + "}").error().code(),
              ErrorCode::bad_value)
        << labels;
  for (const char* labels : {"[]", "{}", "3"})
    EXPECT_EQ(read(std::string(R"({"id2label": )") + labels + "}").error().code(),
              ErrorCode::bad_type)
        << labels;
}

/// An argument of sentence-transformers' own file, then the newer key, then the older one.
TEST_F(ClassifierConfigTest, TheFirstPlaceThatNamesAnActivationCounts) {
  const std::string newer =
      std::string(R"("sentence_transformers": {"activation_fn": ")") + identity + R"("})";
  const std::string older =
      std::string(R"("sbert_ce_default_activation_function": ")") + identity + '"';
  EXPECT_EQ(read(with(""))->activation, ScoreActivation::sigmoid);
  EXPECT_EQ(read("{}")->activation, ScoreActivation::identity);  // two labels
  EXPECT_EQ(read(with(newer))->activation, ScoreActivation::identity);
  EXPECT_EQ(read(with(older))->activation, ScoreActivation::identity);
  EXPECT_EQ(read(with(newer), sigmoid)->activation, ScoreActivation::sigmoid);
  EXPECT_EQ(read(with(""), identity)->activation, ScoreActivation::identity);
  // The newer key that names none counts as well: the older one is not asked then.
  EXPECT_EQ(read(with(R"("sentence_transformers": {"activation_fn": null}, )" + older))->activation,
            ScoreActivation::sigmoid);
  EXPECT_EQ(read(with(R"("sentence_transformers": {"version": "4"}, )" + older))->activation,
            ScoreActivation::identity);
  EXPECT_EQ(read(with(R"("sbert_ce_default_activation_function": null)"))->activation,
            ScoreActivation::sigmoid);
}

TEST_F(ClassifierConfigTest, OtherActivationsAreRefusedByName) {
  for (const char* path : {"torch.nn.modules.activation.Tanh", "my.module.Act", "Sigmoid"}) {
    const auto config = read(with(""), path);
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().code(), ErrorCode::unsupported);
    EXPECT_NE(config.error().message().find(path), std::string::npos);
  }
  EXPECT_EQ(read(with(R"("sentence_transformers": {"activation_fn": 1})")).error().code(),
            ErrorCode::bad_type);
}

TEST_F(ClassifierConfigTest, EachTextOfAPairHasAType) {
  EXPECT_EQ(read(with(R"("type_vocab_size": 3)"))->token_types, 3U);
  EXPECT_EQ(read(with(""))->token_types, 2U);
  EXPECT_EQ(read(with(R"("type_vocab_size": 1)")).error().code(), ErrorCode::unsupported);
  EXPECT_EQ(read(with(R"("type_vocab_size": 1)"), "", 1)->token_types, 1U);
}

}  // namespace
}  // namespace embd::huggingface
