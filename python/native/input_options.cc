#include "native/input_options.h"

#include <fmt/core.h>
#include <nanobind/stl/string.h>

#include <string>

#include "native/enum_words.h"
#include "native/error.h"

namespace nb = nanobind;

namespace embd::python {
namespace {

InputFormat input_format_from_name(const std::string& name) {
  if (name == "txt") return InputFormat::txt;
  if (name == "jsonl") return InputFormat::jsonl;
  if (name == "csv") return InputFormat::csv;
  if (name == "tsv") return InputFormat::tsv;
  raise_invalid(fmt::format("input format \"{}\", expected txt, jsonl, csv or tsv", name));
}

char delimiter_of(const std::string& text) {
  if (text.size() == 1) return text[0];
  raise_invalid(fmt::format("delimiter \"{}\", expected one character", text));
}

}  // namespace

InputOptions input_options(const nb::dict& given) {
  const auto text = [&](const char* name) { return nb::cast<std::string>(given[name]); };
  InputOptions options = {
      .text_field = text("text_field"),
      .id_field = text("id_field"),
      .token_ids_field = text("token_ids_field"),
      .has_header = nb::cast<bool>(given["has_header"]),
      .encoding = text("encoding"),
      .invalid_text = value_of_word("invalid_utf8", text("invalid_utf8"), invalid_text_names),
      .delimiter = delimiter_of(text("delimiter")),
      .skip_empty = nb::cast<bool>(given["skip_empty"])};
  if (!given["input_format"].is_none())
    options.format = input_format_from_name(text("input_format"));
  return options;
}

}  // namespace embd::python
