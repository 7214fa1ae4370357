#pragma once

#include <string_view>

#include "embd/error.h"
#include "formats/weights/huggingface/folder_tokenizer.h"
#include "formats/weights/huggingface/tokenizer_files.h"

namespace embd::huggingface {

/// Returns true if the tokenizer of a folder is BPE, according to its tokenizer.json or, if there
/// is none, to the name of its class.
bool is_bpe(const TokenizerFiles& files, std::string_view class_name);

/// Reads a byte-level BPE tokenizer as transformers 5 does. A RobertaTokenizer takes vocabulary and
/// merges from tokenizer.json or, if there is none, from vocab.json and merges.txt; its other rules
/// are those of the class and `add_prefix_space` of tokenizer_config.json. A general tokenizer
/// takes everything from tokenizer.json. Fails with unsupported for another class and for a step or
/// setting that embd does not have; the message names it. Fails with missing, bad_type, bad_value,
/// bad_json, duplicate_token or invalid_utf8 for a bad file.
Result<FolderTokenizer> read_bpe(const TokenizerFiles& files, std::string_view class_name);

}  // namespace embd::huggingface
