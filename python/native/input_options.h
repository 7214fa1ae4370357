#pragma once

#include <nanobind/nanobind.h>

#include "embd/texts.h"

namespace embd::python {

/// Returns how a file of texts is read, from the keyword arguments of embd.embed_file() that say
/// so. Without `input_format` the file's extension tells. Raises: invalid_argument for a format
/// other than "txt", "jsonl", "csv", "tsv".
InputOptions input_options(const nanobind::dict& given);

}  // namespace embd::python
