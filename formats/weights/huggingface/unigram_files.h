#pragma once

#include <string_view>

#include "embd/error.h"
#include "formats/weights/huggingface/folder_tokenizer.h"
#include "formats/weights/huggingface/tokenizer_files.h"

namespace embd::huggingface {

/// Returns whether a folder's tokenizer is of the Unigram kind: by its tokenizer.json, or by the
/// name of its class where that file is not there.
bool is_unigram(const TokenizerFiles& files, std::string_view class_name);

/// Reads a Unigram tokenizer as transformers 5 does: an XLMRobertaTokenizer takes vocabulary and
/// character map from tokenizer.json and always has the layout `words`; a general tokenizer has the
/// layout of the file. Errors: unsupported, by name, for another class, for every step of
/// tokenizer.json that the engine has not, and for scores that are no float32; missing, bad_type,
/// bad_value, duplicate_token, invalid_utf8.
Result<FolderTokenizer> read_unigram(const TokenizerFiles& files, std::string_view class_name);

}  // namespace embd::huggingface
