#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "formats/weights/huggingface/folder_tokenizer.h"
#include "formats/weights/huggingface/tokenizer_files.h"

namespace embd::huggingface {

/// Reads a WordPiece tokenizer as transformers 5 does: a BertTokenizer takes its vocabulary from
/// tokenizer.json, where there is one, and its rules from tokenizer_config.json; a general
/// tokenizer takes all from tokenizer.json. `class_name`: see TokenizerFiles; empty: a
/// BertTokenizer. Errors: unsupported, by name, for another tokenizer and for every rule that the
/// engine has not; missing, bad_value, bad_json, duplicate_token, invalid_utf8.
Result<FolderTokenizer> read_wordpiece(const TokenizerFiles& files, std::string_view class_name);

/// Returns a vocabulary by id: the lines of a vocab.txt, or the "vocab" of a WordPiece
/// tokenizer.json.
Result<std::vector<std::string>> read_vocab(const std::filesystem::path& path);

}  // namespace embd::huggingface
