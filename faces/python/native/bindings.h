#pragma once

#include <nanobind/nanobind.h>

// Functions that add functions and classes to the Python module. Each has a file of its own, and
// module.cc calls them all.
namespace embd::python {

void bind_options(nanobind::module_& module);
void bind_keywords(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_reranker(nanobind::module_& module);
void bind_vectors(nanobind::module_& module);
void bind_jobs(nanobind::module_& module);
void bind_index(nanobind::module_& module);
void bind_digest(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_searcher(nanobind::module_& module);
void bind_analysis(nanobind::module_& module);
void bind_map(nanobind::module_& module);
void bind_get_model(nanobind::module_& module);

}  // namespace embd::python
