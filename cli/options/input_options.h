#pragma once

#include <string>

#include "cli/options/verb.h"
#include "embd/texts.h"

namespace embd::cli {

/// Where texts come from: INPUT, --input-format, --text-field, --id-field, --id-type, --no-header,
/// --encoding, --invalid-utf8.
struct TextInput {
  std::string path = "-";
  InputOptions options;
};

/// --token-ids-field, for verbs that embed; after add_text_input().
Option& add_token_ids_field(Verb& verb, TextInput& input);

/// `positional`: the name under which the path is taken, such as "INPUT".
Option& add_text_input(Verb& verb, TextInput& input, const std::string& positional = "INPUT");

}  // namespace embd::cli
