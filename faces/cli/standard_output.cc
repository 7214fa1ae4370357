#include "faces/cli/standard_output.h"

#include "base/try.h"

namespace embd::cli {

Result<StandardOutput> StandardOutput::open() {
  return StandardOutput(EMBD_TRY(OutputFile::standard_output()));
}

Result<void> print_to_standard_output(std::string_view text) {
  StandardOutput out = EMBD_TRY(StandardOutput::open());
  EMBD_TRY(out.print(text));
  return out.finish();
}

}  // namespace embd::cli
