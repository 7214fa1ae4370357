#pragma once

#include <CLI/CLI.hpp>

#include "jobs/row_fields.h"

namespace embd::cli {

/// --section-field, --column-field: which fields of the input go to a CVC file.
void add_field_options(CLI::App& verb, FieldOptions& options);

}  // namespace embd::cli
