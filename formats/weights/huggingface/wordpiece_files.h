#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "formats/weights/huggingface/folder_tokenizer.h"
#include "formats/weights/huggingface/tokenizer_files.h"

namespace embd::huggingface {

/// Reads a WordPiece tokenizer as transformers 5 does. A BertTokenizer takes its vocabulary from
/// tokenizer.json, if there is one, and its rules from tokenizer_config.json. A general tokenizer
/// takes everything from tokenizer.json. `class_name` is the result of
/// TokenizerFiles::class_name(); empty means a BertTokenizer. Fails with unsupported for another
/// tokenizer and for a rule that embd does not have; the message names it. Fails with missing,
/// bad_value, bad_json, duplicate_token or invalid_utf8 for a bad file.
Result<FolderTokenizer> read_wordpiece(const TokenizerFiles& files, std::string_view class_name);

/// Reads a vocabulary, by id: the lines of a vocab.txt, or the "vocab" of a WordPiece
/// tokenizer.json.
Result<std::vector<std::string>> read_vocab(const std::filesystem::path& path);

}  // namespace embd::huggingface
