#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "embd/error.h"
#include "embd/model.h"

namespace embd::python {

// Functions that add functions and classes to the Python module. Each has a file of its own, and
// module.cc calls them all.

void bind_options(nanobind::module_& module);
void bind_keywords(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_reranker(nanobind::module_& module);
void bind_vectors(nanobind::module_& module);
void bind_jobs(nanobind::module_& module);
void bind_index(nanobind::module_& module);
void bind_digest(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_terms(nanobind::module_& module);
void bind_searcher(nanobind::module_& module);
void bind_analysis(nanobind::module_& module);
void bind_map(nanobind::module_& module);
void bind_split(nanobind::module_& module);
void bind_collect(nanobind::module_& module);
void bind_get_model(nanobind::module_& module);

/// Raises embd.Error in Python, or the subclass of it that the error's code belongs to.
[[noreturn]] void raise(const Error& error);
/// Raises the exception for invalid_argument with this message.
[[noreturn]] void raise_invalid(std::string what);

/// Returns the value of a result, or raises its error.
template <class T>
T value_of(Result<T>&& result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

// Functions that the bindings of models and of rerankers share.

/// Returns the options for opening a model from keyword arguments.
LoadOptions load_options(const nanobind::dict& given);

/// Returns a dict that maps the names of prompts to their texts.
nanobind::dict dict_of(const std::vector<Prompt>& prompts);

/// Returns notes as pairs: the word for the subject, and the text.
std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<ModelNote>& notes);

}  // namespace embd::python
