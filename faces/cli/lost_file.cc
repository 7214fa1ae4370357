#include "faces/cli/lost_file.h"

#include <string_view>

#include "base/os/signals.h"
#include "base/os/standard_streams.h"
#include "faces/cli/exit_code.h"

namespace embd::cli {
namespace {

void handle(std::string_view path) noexcept {
  os::print_error("embd: ");
  os::print_error(path);
  if (!path.empty()) os::print_error(": ");
  os::print_error(
      "input or output failed: the file became shorter, or could not be read, while it was in use: "
      "try again\n");
  os::end_process(static_cast<int>(ExitCode::io_failed));
}

}  // namespace

void report_lost_files() noexcept {
  os::on_lost_file(handle);
}

}  // namespace embd::cli
