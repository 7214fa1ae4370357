#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "embd/texts.h"

namespace embd::cli {

/// Where texts come from: INPUT, --input-format, --text-field, --id-field, --id-type, --no-header.
struct TextInput {
  std::string path = "-";
  InputOptions options;
};

/// --token-ids-field, for verbs that embed; after add_text_input().
CLI::Option* add_token_ids_field(CLI::App& verb, TextInput& input);

/// `positional`: the name under which the path is taken, such as "INPUT".
CLI::Option* add_text_input(CLI::App& verb, TextInput& input,
                            const std::string& positional = "INPUT");

}  // namespace embd::cli
