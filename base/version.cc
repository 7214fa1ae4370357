#include "embd/version.h"

namespace embd {

std::string_view version() noexcept {
  return EMBD_VERSION;
}

}  // namespace embd
