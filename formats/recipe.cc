#include "embd/recipe.h"

namespace embd {

std::vector<std::string> fatal_differences(const Recipe& a, const Recipe& b) {
  std::vector<std::string> names;
  const auto compare = [&](const char* name, auto field) {
    if (a.*field != b.*field) names.emplace_back(name);
  };
  compare("model_sha256", &Recipe::model_sha256);
  compare("tokenizer_sha256", &Recipe::tokenizer_sha256);
  compare("max_length", &Recipe::max_length);
  compare("pooling", &Recipe::pooling);
  compare("normalize", &Recipe::normalize);
  compare("truncate_dim", &Recipe::truncate_dim);
  return names;
}

}  // namespace embd
