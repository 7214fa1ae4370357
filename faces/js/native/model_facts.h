#pragma once

#include <nlohmann/json.hpp>

#include "embd/model.h"

namespace embd::js {

/// Returns the facts that both a Model and a Reranker have.
template <class AnyModel>
nlohmann::json facts_of(const AnyModel& model) {
  nlohmann::json prompts = nlohmann::json::array();
  for (const Prompt& prompt : model.prompts())
    prompts.push_back({{"name", prompt.name}, {"text", prompt.text}});
  return {{"name", model.name()},
          {"max_length", model.max_length()},
          {"max_positions", model.max_positions()},
          {"prompts", prompts},
          {"default_prompt_name", model.default_prompt_name()},
          {"compute", compute_name(model.compute())},
          {"instruction_set", model.instruction_set()}};
}

}  // namespace embd::js
