#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "base/os/open_files.h"
#include "base/os/process.h"

namespace embd::os {

std::int64_t process_number() noexcept {
  return ::getpid();
}

std::uint32_t user_number() noexcept {
  return ::geteuid();
}

bool is_forked() noexcept {
  constexpr unsigned long forked_not_executed = 0x40;  // PF_FORKNOEXEC
  std::FILE* file = std::fopen("/proc/self/stat", "re");
  if (file == nullptr) return true;
  char line[1024] = {};
  const std::size_t size = std::fread(line, 1, sizeof(line) - 1, file);
  std::fclose(file);
  line[size] = 0;
  const char* behind_name = std::strrchr(line, ')');
  unsigned long flags = forked_not_executed;
  if (behind_name != nullptr) std::sscanf(behind_name, ") %*c %*d %*d %*d %*d %*d %lu", &flags);
  return (flags & forked_not_executed) != 0;
}

bool is_memory_limited() noexcept {
  rlimit limit = {};
  return ::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

std::size_t num_threads() noexcept {
  struct stat about = {};
  return ::stat("/proc/self/task", &about) == 0 && about.st_nlink > 2 ? about.st_nlink - 2 : 0;
}

std::uint64_t resident_bytes() noexcept {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long pages = 0;
  const int read = std::fscanf(file, "%*u %lu", &pages);
  std::fclose(file);
  return read == 1 ? pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void raise_file_limit() noexcept {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

std::uint64_t random_number() noexcept {
  std::uint64_t number = 0;
  // If the kernel has no random bytes yet, the randomness of the address space must suffice.
  if (::getrandom(&number, sizeof(number), GRND_NONBLOCK) == sizeof(number)) return number;
  return reinterpret_cast<std::uint64_t>(&random_number);
}

void* allocate_aligned(std::size_t alignment, std::size_t size) noexcept {
  return std::aligned_alloc(alignment, size);
}

void free_aligned(void* memory) noexcept {
  std::free(memory);
}

void prefer_huge_pages(void* memory, std::size_t size) noexcept {
  ::madvise(memory, size, MADV_HUGEPAGE);
}

bool lists_open_files(const std::filesystem::path& folder) {
  return folder.native().starts_with("/proc/");
}

std::optional<int> open_file_number(const std::filesystem::path& folder,
                                    const std::filesystem::path& name) {
  if (folder != "/proc/" + std::to_string(process_number()) + "/fd") return std::nullopt;
  const std::string& digits = name.native();
  int number = -1;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code != std::errc() || end != digits.data() + digits.size() || number < 0)
    return std::nullopt;
  return number;
}

bool is_name_of_standard_output(const std::filesystem::path& path) {
  return path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

bool is_name_of_open_file(const std::filesystem::path& path) {
  return is_name_of_standard_output(path) || path.native().starts_with("/dev/fd/") ||
         path.native().starts_with("/proc/self/fd/");
}

}  // namespace embd::os
