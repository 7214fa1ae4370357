#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "embd/model.h"

namespace embd::js {

/// The open objects of one type. Each has a number above 0, and no number is used twice.
template <class T>
class Handles {
 public:
  std::int32_t add(T thing) {
    open_.emplace(++last_, std::make_unique<T>(std::move(thing)));
    return last_;
  }
  /// Returns the object with this number. Fails with invalid_argument if no open object has it.
  Result<T*> find(std::int32_t handle) {
    const auto found = open_.find(handle);
    if (found == open_.end()) return no_such_thing();
    return found->second.get();
  }
  Result<std::int32_t> close(std::int32_t handle) {
    if (open_.erase(handle) == 0) return no_such_thing();
    return 0;
  }

 private:
  static std::unexpected<Error> no_such_thing() {
    return fail(ErrorCode::invalid_argument, "the object was closed, or it was never opened");
  }

  std::map<std::int32_t, std::unique_ptr<T>> open_;
  std::int32_t last_ = 0;
};

/// Returns the models that are open.
Handles<Model>& models();

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
