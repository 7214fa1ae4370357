#pragma once

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <thread>
#include <utility>

namespace embd::test {

/// The fault at one system call, which is not made: the process is killed, or the call fails with
/// EIO.
enum class Fault { kill, fail };

/// How a process with a fault ended. `supported` is false if the system cannot make faults.
struct Faulted {
  bool supported = true;
  bool reached = false;    ///< it made as many calls as the fault needs
  bool succeeded = false;  ///< the work returned true
  bool crashed = false;    ///< a signal ended it, which was not the fault
};

namespace faulty_calls {

constexpr int unsupported = 4;  // exit codes: this, or a sum of the two others
constexpr int is_reached = 2;
constexpr int is_failed = 1;

/// Lets a supervisor decide about the calls of this thread, but for calls for memory and threads.
/// Returns the descriptor through which it does.
inline int supervise_this_thread() noexcept {
  const auto pass = [](int call) -> std::array<sock_filter, 2> {
    return {{BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  };
  constexpr std::array passed = {SYS_brk,     SYS_mmap,  SYS_munmap, SYS_mremap,    SYS_mprotect,
                                 SYS_madvise, SYS_futex, SYS_exit,   SYS_exit_group};
  std::array<sock_filter, 2 + 2 * passed.size()> filter;
  filter.front() = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (std::size_t i = 0; i < passed.size(); ++i) {
    const auto rule = pass(static_cast<int>(passed[i]));
    filter[1 + 2 * i] = rule[0];
    filter[2 + 2 * i] = rule[1];
  }
  filter.back() = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
  sock_fprog program = {.len = static_cast<unsigned short>(filter.size()), .filter = filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

/// Lets calls pass until the one that is the fault, and after it. Does not return.
[[noreturn]] inline void supervise(int listener, int number, Fault fault,
                                   std::atomic<bool>& reached) noexcept {
  for (int calls = 0;; ++calls) {
    seccomp_notif call = {};
    if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
      if (errno == EINTR) continue;
      ::_exit(unsupported);
    }
    seccomp_notif_resp answer = {};
    answer.id = call.id;
    if (calls == number) {
      if (fault == Fault::kill) ::kill(::getpid(), SIGKILL);
      reached = true;
      answer.error = -EIO;
    } else {
      answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    (void)::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

}  // namespace faulty_calls

/// Calls work(make()) in a child process; make() returns anything, work() returns true if it
/// succeeded. Call `number`, from 0, of those to the system that work() makes is the fault. The
/// calling process must have no other threads.
template <class Make, class Work>
Faulted run_with_fault(int number, Fault fault, Make make, Work work) {
  using namespace faulty_calls;
  const pid_t child = ::fork();
  if (child == 0) {
    auto made = make();
    std::atomic<int> listener = 0;
    std::atomic<bool> reached = false;
    const std::jthread worker([&] {
      listener = supervise_this_thread();
      listener.notify_one();
      const bool done = work(std::move(made));
      ::_exit((reached ? is_reached : 0) | (done ? 0 : is_failed));
    });
    listener.wait(0);
    if (listener < 0) ::_exit(unsupported);
    supervise(listener, number, fault, reached);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return {.supported = false};
  if (WIFSIGNALED(status)) {
    const bool is_fault = fault == Fault::kill && WTERMSIG(status) == SIGKILL;
    return {.reached = true, .crashed = !is_fault};
  }
  const int code = WEXITSTATUS(status);
  return {.supported = code != unsupported,
          .reached = (code & is_reached) != 0,
          .succeeded = (code & is_failed) == 0};
}

}  // namespace embd::test
