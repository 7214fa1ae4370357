#include "base/os/random.h"

#include <sys/random.h>

namespace embd::os {

std::uint64_t random_number() noexcept {
  std::uint64_t number = 0;
  // If the kernel has no random bytes yet, the randomness of the address space must suffice.
  if (::getrandom(&number, sizeof(number), GRND_NONBLOCK) == sizeof(number)) return number;
  return reinterpret_cast<std::uint64_t>(&random_number);
}

}  // namespace embd::os
