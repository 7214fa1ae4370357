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

std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<ModelNote>& notes) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const ModelNote& note : notes)
    pairs.emplace_back(name_of(note.kind, note_kind_names), note.text);
  return pairs;
}

}  // namespace embd::python
