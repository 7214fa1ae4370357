#include "base/os/random.h"

#include <sys/random.h>

namespace embd::os {

std::uint64_t random_number() noexcept {
  std::uint64_t number = 0;
  // Should the kernel have nothing to give yet, the address space's own randomness has to do.
  if (::getrandom(&number, sizeof(number), GRND_NONBLOCK) == sizeof(number)) return number;
  return reinterpret_cast<std::uint64_t>(&random_number);
}

}  // namespace embd::os
