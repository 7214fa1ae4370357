#include "native/loading.h"

#include <fmt/core.h>
#include <nanobind/stl/string.h>

#include "native/error.h"

namespace nb = nanobind;

namespace embd::python {
namespace {

Compute compute_from_name(const std::string& name) {
  for (const Compute compute : {Compute::f32, Compute::bf16, Compute::int8})
    if (compute_name(compute) == name) return compute;
  raise_invalid(fmt::format("compute \"{}\", expected f32, bf16 or int8", name));
}

}  // namespace

LoadOptions load_options(const std::string& compute, const std::filesystem::path& vocab,
                         bool verify) {
  return {.vocab = vocab, .verify = verify, .compute = compute_from_name(compute)};
}

nb::dict dict_of(const std::vector<Prompt>& prompts) {
  nb::dict named;
  for (const Prompt& prompt : prompts) named[prompt.name.c_str()] = prompt.text;
  return named;
}

}  // namespace embd::python
