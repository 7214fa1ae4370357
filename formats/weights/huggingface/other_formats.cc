#include "formats/weights/huggingface/other_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/path_text.h"
#include "base/try.h"

namespace embd::huggingface {
namespace {

namespace fs = std::filesystem;

/// The ends of the names of files with weights.
constexpr auto weight_formats = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{".gguf", "a GGUF file of llama.cpp"},
     {".onnx", "an ONNX file"},
     {"pytorch_model.bin", "a pickle of PyTorch"},
     {"pytorch_model.bin.index.json", "pickles of PyTorch"},
     {".h5", "a file of TensorFlow"},
     {".msgpack", "a file of Flax"},
     {".npz", "a file of MLX or NumPy"}});

/// The folders beside config.json in which such files lie, too.
constexpr auto weight_folders = std::to_array<std::string_view>({"", "onnx"});

/// The ends of the names of architectures with another use than vectors of texts.
constexpr auto other_architectures = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"ForCausalLM", "a model that generates text"},
     {"LMHeadModel", "a model that generates text"},
     {"ForTokenClassification", "a classifier of tokens"},
     {"ForQuestionAnswering", "a model that finds answers in a text"},
     {"ForSequenceClassification", "a classifier of another family than those of cross-encoders"},
     {"ForMultipleChoice", "a model that chooses answers"},
     {"ForNextSentencePrediction", "a classifier of pairs of sentences"},
     {"ColBERT", "a ColBERT model, which makes a vector for each token"}});

/// Files that only models of another kind have.
constexpr auto other_files = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"query_token_weights.txt", "a sparse model"},
     {"idf.json", "a sparse model"},
     {"sparse_linear.pt", "a model whose pooling is not stated"},
     {"1_SpladePooling", "a sparse model (SPLADE)"},
     {"artifact.metadata", "a ColBERT model, which makes a vector for each token"},
     {"1_Dense", "a model with a dense module after the encoder, as ColBERT models have"}});

}  // namespace

std::string weights_of_other_formats(const fs::path& folder) {
  std::vector<std::string> found;
  for (const std::string_view inner : weight_folders) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder / path_of_text(inner), error)) {
      const std::string name = text_of_path(entry.path().filename());
      for (const auto& [end, what] : weight_formats)
        if (name.ends_with(end))
          found.push_back(
              fmt::format("{} ({})", text_of_path(path_of_text(inner) / path_of_text(name)), what));
    }
  }
  std::ranges::sort(found);
  constexpr std::size_t most = 3;
  const bool all = found.size() <= most;
  if (!all) found.resize(most);
  return fmt::format("{}{}", fmt::join(found, ", "), all ? "" : ", …");
}

Result<void> check_use(const fs::path& folder, std::string_view architecture) {
  for (const auto& [end, what] : other_architectures) {
    if (!architecture.ends_with(end)) continue;
    return fail_in(folder / "config.json", ErrorCode::unsupported,
                   fmt::format("architectures: {}, which is {}, expected an encoder such as "
                               "BertModel, whose vectors can be pooled",
                               architecture, what));
  }
  for (const auto& [name, what] : other_files) {
    std::error_code error;
    if (!fs::exists(folder / path_of_text(name), error)) continue;
    return fail_in(folder, ErrorCode::unsupported,
                   fmt::format("the folder has no modules.json, and its {} shows that it is {}, "
                               "expected a sentence embedding model",
                               name, what));
  }
  return {};
}

}  // namespace embd::huggingface
