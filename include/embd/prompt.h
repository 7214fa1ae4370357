#pragma once

#include <string>

namespace embd {

/// A prompt of a model's configuration: its name, such as "query", and the text to put before each
/// text, such as "query: ".
struct Prompt {
  std::string name;
  std::string text;

  bool operator==(const Prompt&) const = default;
};

}  // namespace embd
