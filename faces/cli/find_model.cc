#include "faces/cli/find_model.h"

#include "embd/find_model.h"

namespace embd::cli {

Result<std::filesystem::path> find_model(const std::string& given) {
  return embd::find_model(given.empty() ? "all-MiniLM-L6-v2" : given,
                          {.folders = {EMBD_MODELS_FOLDER}});
}

}  // namespace embd::cli
