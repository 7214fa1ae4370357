#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/os/wasm/memory_files.h"
#include "faces/js/native/answer.h"
#include "faces/js/native/export.h"

namespace embd::js {

EMBD_EXPORT(std::int32_t, embd_add_file)(const char* name, std::uint32_t name_size, void* data,
                                         std::uint32_t size) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    EMBD_TRY(os::add_memory_file({name, name_size}, static_cast<std::byte*>(data), size));
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_remove_file)(const char* name, std::uint32_t name_size) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    EMBD_TRY(os::remove_memory_file({name, name_size}));
    return 0;
  });
}

}  // namespace embd::js
