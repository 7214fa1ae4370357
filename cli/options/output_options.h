#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "cli/options/verb.h"
#include "embd/convert.h"
#include "embd/output_options.h"

namespace embd::cli {

/// Adds the options that say how vectors are written, as embed, convert and join share them.
/// `format_option`: "output_format" or "to".
void add_output_options(Verb& verb, OutputOptions& options, std::string_view format_option);

/// Says on standard error what of its inputs a conversion did not keep, and what quantizing lost.
void say_conversion(const std::filesystem::path& output, const ConvertReport& report);
/// Says on standard error what quantizing lost.
void say_losses(const std::vector<OutputLoss>& losses);

}  // namespace embd::cli
