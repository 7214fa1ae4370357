#pragma once

#include <string>

#include "embd/recipe.h"
#include "server/service.h"

namespace embd::server {

/// What is served, as a JSON object: the recipe of its vectors, names, dimensions, arithmetic and
/// the indexes that can be searched.
std::string recipe_answer(const Service& service, const Recipe& recipe);

}  // namespace embd::server
