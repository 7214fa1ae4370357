#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/recipe.h"
#include "formats/weights/model_spec.h"
#include "tokenizer/special_token_ids.h"

namespace embd::huggingface {

/// The tokenizer of a folder.
struct WordPieceFiles {
  std::vector<std::string> vocab;  ///< by id
  SpecialTokenIds special;
  bool lower_case = true;
  TruncationSide truncation_side = TruncationSide::right;
  std::optional<double> model_max_length;  ///< tokens; some say 1e30
};

/// Reads tokenizer_config.json, tokenizer.json, vocab.txt, special_tokens_map.json and
/// added_tokens.json as transformers 5 does: a BertTokenizer takes its vocabulary from
/// tokenizer.json, where there is one, and its rules from tokenizer_config.json; a general
/// tokenizer takes all from tokenizer.json. `tokenizer_class`: that of config.json, if it names
/// one. Errors: unsupported, by name, for another tokenizer and for every rule that the engine has
/// not; missing, bad_value, bad_json, duplicate_token, invalid_utf8.
Result<WordPieceFiles> read_wordpiece_files(const std::filesystem::path& folder,
                                            std::string_view tokenizer_class);

/// A vocabulary by id: the lines of a vocab.txt, or the "vocab" of a WordPiece tokenizer.json.
Result<std::vector<std::string>> read_vocab(const std::filesystem::path& path);

}  // namespace embd::huggingface
