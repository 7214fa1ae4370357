#include "formats/weights/huggingface/folder_tokenizer.h"

#include "base/try.h"

namespace embd::huggingface {

Result<FolderTokenizer> read_folder_tokenizer(const std::filesystem::path& folder,
                                              std::string_view class_by_encoder) {
  const TokenizerFiles files = EMBD_TRY(TokenizerFiles::read(folder));
  std::string class_name = EMBD_TRY(files.class_name(class_by_encoder));
  if (class_by_encoder == as_it_is) class_name = as_it_is;
  auto tokenizer = EMBD_TRY(is_unigram(files, class_name) ? read_unigram(files, class_name)
                            : is_bpe(files, class_name)   ? read_bpe(files, class_name)
                                                          : read_wordpiece(files, class_name));
  tokenizer.truncation_side = EMBD_TRY(files.truncation_side());
  tokenizer.model_max_length = EMBD_TRY(files.model_max_length());
  return tokenizer;
}

Result<FolderTokenizer> read_static_tokenizer(const std::filesystem::path& folder) {
  TokenizerFiles files;
  files.folder = folder;
  files.tokenizer = EMBD_TRY(JsonFile::read(folder / "tokenizer.json"));
  files.are_static = true;
  auto tokenizer = EMBD_TRY(is_unigram(files, "") ? read_unigram(files, as_it_is)
                            : is_bpe(files, "")   ? read_bpe(files, as_it_is)
                                                  : read_wordpiece(files, as_it_is));
  tokenizer.pair_template = PairTemplate::none;
  tokenizer.truncation_side = EMBD_TRY(files.truncation_side());
  const auto& truncation = member(files.tokenizer->root(), "truncation");
  if (const auto& length = member(truncation, "max_length"); length.is_number())
    tokenizer.model_max_length = length.get<double>();
  return tokenizer;
}

}  // namespace embd::huggingface
