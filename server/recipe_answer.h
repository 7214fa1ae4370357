#pragma once

#include <string>

#include "embd/recipe.h"
#include "server/service.h"

namespace embd::server {

/// Describes what is served as a JSON object: the first model's dimension and recipe, all models,
/// the reranker, and the indexes that can be searched. Error: that of a model's recipe.
Result<std::string> recipe_answer(const Service& service);

}  // namespace embd::server
