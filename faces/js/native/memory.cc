#include <cstdint>
#include <cstdlib>

#include "base/aligned_buffer.h"
#include "faces/js/native/export.h"

namespace embd::js {

EMBD_EXPORT(void*, embd_allocate)(std::uint32_t size) {
  try {
    return allocate_aligned(size == 0 ? 1 : size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

EMBD_EXPORT(void, embd_release)(void* memory) {
  std::free(memory);
}

}  // namespace embd::js
