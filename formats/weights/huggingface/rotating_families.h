#pragma once

#include "embd/error.h"
#include "formats/weights/huggingface/json_file.h"
#include "formats/weights/model_spec.h"
#include "formats/weights/model_tensors.h"

namespace embd::huggingface {

/// Reads the settings of config.json that only families have whose layers rotate queries and keys:
/// NomicBERT, GTE and ModernBERT. They become the architecture and the token types of `sizes`,
/// which has the other sizes already. Does nothing for other families. Fails with unsupported for a
/// setting that changes how layers compute, and with bad_value or bad_type; the message names the
/// key.
Result<void> read_rotating(const JsonFile& file, Family family, ModelSpec& sizes);

}  // namespace embd::huggingface
