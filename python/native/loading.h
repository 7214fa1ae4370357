#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <string>
#include <vector>

#include "embd/model.h"

// How models and rerankers are opened, and what both are asked for.
namespace embd::python {

/// Raises embd.Error for a word that names no arithmetic.
LoadOptions load_options(const std::string& compute, const std::filesystem::path& vocab,
                         bool verify);

/// Prompts by their names, a dict of str.
nanobind::dict dict_of(const std::vector<Prompt>& prompts);

}  // namespace embd::python
