#pragma once

#include <string>

#include "embd/recipe.h"
#include "faces/server/service.h"

namespace embd::server {

/// Returns a JSON object that describes the server: dimension and recipe of the first model, all
/// models, the reranker, and the indexes that can be searched. Fails with the errors of
/// Model::recipe().
Result<std::string> recipe_answer(const Service& service);

}  // namespace embd::server
