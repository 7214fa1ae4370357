#include <string_view>

#include "base/os/file_descriptor.h"
#include "base/os/signals.h"
#include "faces/cli/commands.h"

namespace {

/// Handles a mapped file that becomes shorter, or whose disk fails, while it is read: prints a
/// message that names the file, and ends the program. Unfinished outputs stay under their temporary
/// names, because a signal handler cannot safely remove them.
void report_lost_file(std::string_view path) noexcept {
  using namespace embd;
  os::print_error("embd: ");
  os::print_error(path);
  if (!path.empty()) os::print_error(": ");
  os::print_error(
      "input or output failed: the file became shorter, or could not be read, while it was in use: "
      "try again\n");
  os::end_process(static_cast<int>(cli::ExitCode::io_failed));
}

}  // namespace

int main(int argc, char** argv) {
  embd::os::ignore_write_signals();
  embd::os::occupy_closed_standard_streams();
  embd::os::on_lost_file(report_lost_file);
  using namespace embd::cli;
  Verb program("embd", "Sentence embeddings: the same text gives the same bytes.");
  describe_program(program);
  add_embed(program);
  add_tokenize(program);
  add_split(program);
  add_collect(program);
  add_similarity(program);
  add_convert(program);
  add_inspect(program);
  add_compare(program);
  add_verify(program);
  add_lock(program);
  add_check(program);
  add_index(program);
  add_search(program);
  add_rerank(program);
  add_cluster(program);
  add_map(program);
  add_dedupe(program);
  add_mcp(program);
#ifdef EMBD_WITH_SERVER
  add_serve(program);
#endif
  add_model(program);
  add_digest(program);
  add_join(program);
  add_completion(program);
  add_man(program);
  return static_cast<int>(run_program(program, argc, argv));
}
