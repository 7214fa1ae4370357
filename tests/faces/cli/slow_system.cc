// Loaded into the program (LD_PRELOAD): holds it at its first call of a function of the system, for
// instance to let another process do something meanwhile. SLOW_CALL names the function. The file
// SLOW_MARKER appears when it is called; the call goes on when the file SLOW_END is there.
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace {

void hold(std::string_view call) noexcept {
  static bool is_first = true;
  if (!is_first || std::getenv("SLOW_CALL") != call) return;
  is_first = false;
  close(open(std::getenv("SLOW_MARKER"), O_WRONLY | O_CREAT, 0600));
  while (access(std::getenv("SLOW_END"), F_OK) != 0) usleep(1000);
}

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  hold("getaddrinfo");
  static const auto real = reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, __func__));
  return real(node, service, hints, result);
}

extern "C" int flock(int descriptor, int operation) noexcept {
  hold("flock");
  return static_cast<int>(syscall(SYS_flock, descriptor, operation));
}
