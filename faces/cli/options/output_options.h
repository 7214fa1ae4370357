#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "embd/convert.h"
#include "embd/output_options.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {

/// Adds the options for writing vectors, which embed, convert and join share. `format_option` is
/// the name of the option for the format: "output_format" or "to".
void add_output_options(Verb& verb, OutputOptions& options, std::string_view format_option);

/// Prints on standard error which metadata of its inputs a conversion did not keep, and what
/// quantizing lost.
void say_conversion(const std::filesystem::path& output, const ConvertReport& report);
/// Prints on standard error what quantizing lost in each output.
void say_losses(const std::vector<OutputLoss>& losses);

}  // namespace embd::cli
