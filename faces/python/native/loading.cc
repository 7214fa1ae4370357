#include "native/loading.h"

#include <nanobind/stl/string.h>

#include "jobs/options/load_list.h"
#include "native/keywords.h"

namespace nb = nanobind;

namespace embd::python {

LoadOptions load_options(const nb::dict& given) {
  LoadOptions options;
  set_options(given, options);
  return options;
}

nb::dict dict_of(const std::vector<Prompt>& prompts) {
  nb::dict named;
  for (const Prompt& prompt : prompts) named[prompt.name.c_str()] = prompt.text;
  return named;
}

}  // namespace embd::python
