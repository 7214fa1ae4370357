#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "embd/model.h"

// Functions that the bindings of models and of rerankers share.
namespace embd::python {

/// Returns the options for opening a model from keyword arguments.
LoadOptions load_options(const nanobind::dict& given);

/// Returns a dict that maps the names of prompts to their texts.
nanobind::dict dict_of(const std::vector<Prompt>& prompts);

/// Returns notes as pairs: the word for the subject, and the text.
std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<ModelNote>& notes);

}  // namespace embd::python
