// Replaces the reading of Hugging Face folders in a WebAssembly module and in the smallest library
// (EMBD_MINIMAL=ON), whose models are EMBD files.

#include "base/try.h"
#include "formats/weights/huggingface/convert_folder.h"
#include "formats/weights/huggingface/folder_tokenizer.h"
#include "formats/weights/huggingface/model_folder.h"

namespace embd::huggingface {
namespace {

std::unexpected<Error> unread(const std::filesystem::path& path) {
  return fail_in(
      path, ErrorCode::unsupported,
      "this build of embd reads only weight files that contain their vocabulary: convert "
      "the model to one first");
}

}  // namespace

Result<ModelFolder> read_model_folder(const std::filesystem::path& folder) {
  return unread(folder);
}

Result<OpenedFolder> open_model_folder(const std::filesystem::path& folder,
                                       WeightFileOptions /*options*/) {
  return unread(folder);
}

Result<void> convert_folder(const std::filesystem::path& folder,
                            const std::filesystem::path& /*out*/,
                            const ConvertModelOptions& /*options*/,
                            const SmoothingFactors& /*smoothing*/) {
  return unread(folder);
}

Result<std::vector<std::string>> read_vocab(const std::filesystem::path& path) {
  return unread(path);
}

}  // namespace embd::huggingface
