#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace embd::cli {

/// How a verb is called: "embd index VECTORS -o OUT [OPTION ...]".
std::string usage_of(const CLI::App& app);

/// `--help`: the options that most people need first, then all others by purpose.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace embd::cli
