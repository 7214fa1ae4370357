#pragma once

#include <string_view>

#include "embd/error.h"
#include "formats/weights/huggingface/folder_tokenizer.h"
#include "formats/weights/huggingface/tokenizer_files.h"

namespace embd::huggingface {

/// Returns true if the tokenizer of a folder is Unigram, according to its tokenizer.json or, if
/// there is none, to the name of its class.
bool is_unigram(const TokenizerFiles& files, std::string_view class_name);

/// Reads a Unigram tokenizer as transformers 5 does. An XLMRobertaTokenizer or CamembertTokenizer
/// takes the vocabulary and the character map from tokenizer.json and always splits texts into
/// words in one fixed way. A general tokenizer takes all rules from the file. Fails with
/// unsupported for another class and for a step of tokenizer.json that embd does not have; the
/// message names it. Fails with missing, bad_type, bad_value,
/// duplicate_token or invalid_utf8 for a bad file.
Result<FolderTokenizer> read_unigram(const TokenizerFiles& files, std::string_view class_name);

}  // namespace embd::huggingface
