#include "base/os/signals.h"

#include <array>
#include <atomic>

#include "base/os/windows/windows.h"

#include <psapi.h>  // needs the header of Windows before it

namespace embd::os {
namespace {

LostFileHandler handle_lost_file = nullptr;

/// Returns the path of the file that is mapped at `address`, as the system names it: its disk is a
/// device. It is valid until the next call.
std::string_view path_mapped_at(void* address) noexcept {
  static std::array<wchar_t, 1024> wide;
  static std::array<char, 3 * wide.size()> text;
  const DWORD length = ::K32GetMappedFileNameW(::GetCurrentProcess(), address, wide.data(),
                                               static_cast<DWORD>(wide.size()));
  const int size =
      ::WideCharToMultiByte(CP_UTF8, 0, wide.data(), static_cast<int>(length), text.data(),
                            static_cast<int>(text.size()), nullptr, nullptr);
  return {text.data(), static_cast<std::size_t>(size)};
}

LONG CALLBACK handle_exception(EXCEPTION_POINTERS* exception) {
  const EXCEPTION_RECORD& record = *exception->ExceptionRecord;
  if (record.ExceptionCode == static_cast<DWORD>(EXCEPTION_IN_PAGE_ERROR) &&
      record.NumberParameters >= 2)
    handle_lost_file(path_mapped_at(reinterpret_cast<void*>(record.ExceptionInformation[1])));
  return EXCEPTION_CONTINUE_SEARCH;
}

/// The stop that the console's events request; null if nothing waits for them.
std::atomic<std::stop_source*> interrupted = nullptr;

BOOL WINAPI handle_console_event(DWORD event) {
  std::stop_source* const source = interrupted;
  if (source == nullptr) return FALSE;
  source->request_stop();
  // The system ends the process as soon as this function returns after one of the other events, and
  // after five seconds in any case. Until then unfinished outputs are removed.
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) ::Sleep(INFINITE);
  return TRUE;
}

}  // namespace

void ignore_write_signals() noexcept {}  // There are none.

void on_lost_file(LostFileHandler handle) noexcept {
  handle_lost_file = handle;
  ::AddVectoredExceptionHandler(1, handle_exception);
}

void end_process(int exit_code) noexcept {
  ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(exit_code));
  __builtin_unreachable();
}

Interrupt::Interrupt() {
  interrupted = &source_;
  ::SetConsoleCtrlHandler(handle_console_event, TRUE);
}

Interrupt::~Interrupt() {
  ::SetConsoleCtrlHandler(handle_console_event, FALSE);
  interrupted = nullptr;
}

}  // namespace embd::os
