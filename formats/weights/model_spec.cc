#include "formats/weights/model_spec.h"

#include "tokenizer/token_template.h"

namespace embd {

std::uint32_t ModelSpec::least_length() const {
  return static_cast<std::uint32_t>(token_template(tokenizer, {}).least_length());
}

}  // namespace embd
