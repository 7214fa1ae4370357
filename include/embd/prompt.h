#pragma once

#include <string>

namespace embd {

/// A prompt that a model's configuration names, such as "query": `text` is put before each text.
struct Prompt {
  std::string name;
  std::string text;

  bool operator==(const Prompt&) const = default;
};

}  // namespace embd
