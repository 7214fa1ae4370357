#pragma once

#include <optional>
#include <string>

#include "embd/texts.h"

namespace embd::python {

/// How a file of texts is read; without `format` by its extension. Raises: invalid_argument for a
/// format other than "txt", "jsonl", "csv", "tsv".
InputOptions input_options(const std::optional<std::string>& format, std::string text_field,
                           std::string id_field, std::string token_ids_field, bool has_header);

}  // namespace embd::python
