#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "embd/output_options.h"

namespace embd::cli {

/// How vectors are written: the options that embed and convert share. `format_option`:
/// "--output-format" or "--to".
void add_output_options(CLI::App& verb, OutputOptions& options, const std::string& format_option);

/// Says on standard error what quantizing lost.
void say_losses(const std::vector<OutputLoss>& losses);

}  // namespace embd::cli
