#include "formats/weights/huggingface/folder_tokenizer.h"

#include "base/try.h"
#include "formats/weights/huggingface/tokenizer_files.h"
#include "formats/weights/huggingface/unigram_files.h"
#include "formats/weights/huggingface/wordpiece_files.h"

namespace embd::huggingface {

Result<FolderTokenizer> read_folder_tokenizer(const std::filesystem::path& folder,
                                              std::string_view class_by_encoder) {
  const TokenizerFiles files = EMBD_TRY(TokenizerFiles::read(folder));
  const std::string class_name = EMBD_TRY(files.class_name(class_by_encoder));
  auto tokenizer = EMBD_TRY(is_unigram(files, class_name) ? read_unigram(files, class_name)
                                                          : read_wordpiece(files, class_name));
  tokenizer.truncation_side = EMBD_TRY(files.truncation_side());
  tokenizer.model_max_length = EMBD_TRY(files.model_max_length());
  return tokenizer;
}

}  // namespace embd::huggingface
