#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "embd/model.h"

// How models and rerankers are opened, and what both are asked for.
namespace embd::python {

/// Returns the options that keyword arguments give.
LoadOptions load_options(const nanobind::dict& given);

/// Prompts by their names, a dict of str.
nanobind::dict dict_of(const std::vector<Prompt>& prompts);

}  // namespace embd::python
