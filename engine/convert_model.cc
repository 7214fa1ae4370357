#include "embd/convert_model.h"

#include "base/os/cpu.h"
#include "base/try.h"
#include "engine/encoder/smoothing.h"
#include "engine/kernels/choose.h"
#include "formats/weights/huggingface/convert_folder.h"

namespace embd {

Result<void> convert_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                           const ConvertModelOptions& options) {
  if (options.type != ElementType::i8) return huggingface::convert_folder(folder, out, options);
  const auto opened = EMBD_TRY(huggingface::open_model_folder(folder));
  const kernels::Kernels& kernels = *EMBD_TRY(kernels::choose_kernels(kernels::Arithmetic::f32));
  const SmoothingFactors smoothing =
      EMBD_TRY(smoothing_factors(opened.file, kernels, available_threads()));
  return huggingface::convert_folder(folder, out, options, smoothing);
}

}  // namespace embd
