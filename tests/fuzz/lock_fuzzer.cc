// Any bytes as a lock file. One that is read is written, and read again as the same.
#include "jobs/proof/lock.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/require.h"

namespace {

using namespace embd;
using fuzz::require;

Result<LockFile> read(std::string_view text) {
  const fuzz::MemoryFile file(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return LockFile::read(file.path());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lock = read({reinterpret_cast<const char*>(data), size});
  if (!lock) {
    require(!lock.error().message().empty() && !lock.error().file().empty());
    return 0;
  }
  for (const auto& [kernels, hashes] : lock->sha256) require(hashes.size() == lock->probes.size());
  const auto again = read(lock->text());
  require(again && again->model == lock->model && again->recipe == lock->recipe &&
          again->probes == lock->probes && again->sha256 == lock->sha256);
  require(again->text() == lock->text());
  return 0;
}
