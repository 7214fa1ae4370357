#include "formats/weights/model_spec.h"

namespace embd {

std::uint32_t ModelSpec::least_length() const {
  const TokenTemplate tokens = token_template();
  return static_cast<std::uint32_t>(head == HeadKind::classifier ? tokens.least_length_of_pair()
                                                                 : tokens.least_length());
}

}  // namespace embd
