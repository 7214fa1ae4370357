#include "native/input_options.h"

#include <fmt/core.h>

#include <utility>

#include "native/error.h"

namespace embd::python {
namespace {

InputFormat input_format_from_name(const std::string& name) {
  if (name == "txt") return InputFormat::txt;
  if (name == "jsonl") return InputFormat::jsonl;
  if (name == "csv") return InputFormat::csv;
  if (name == "tsv") return InputFormat::tsv;
  raise_invalid(fmt::format("input format \"{}\", expected txt, jsonl, csv or tsv", name));
}

}  // namespace

InputOptions input_options(const std::optional<std::string>& format, std::string text_field,
                           std::string id_field, std::string token_ids_field, bool has_header) {
  InputOptions options = {.text_field = std::move(text_field),
                          .id_field = std::move(id_field),
                          .token_ids_field = std::move(token_ids_field),
                          .has_header = has_header};
  if (format) options.format = input_format_from_name(*format);
  return options;
}

}  // namespace embd::python
