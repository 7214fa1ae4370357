#include <csignal>

#include "cli/bus_error.h"
#include "cli/commands.h"
#include "cli/standard_streams.h"

int main(int argc, char** argv) {
  // A closed pipe and a file that may not grow are errors of write(), which leave no half file.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  using namespace embd::cli;
  occupy_closed_standard_streams();
  report_bus_errors();
  Commands commands;
  add_embed(commands);
  add_tokenize(commands);
  add_similarity(commands);
  add_convert(commands);
  add_inspect(commands);
  add_compare(commands);
  add_verify(commands);
  add_lock(commands);
  add_check(commands);
  add_index(commands);
  add_search(commands);
  add_serve(commands);
  add_model(commands);
  add_digest(commands);
  add_join(commands);
  add_completion(commands);
  add_man(commands);
  return static_cast<int>(commands.run(argc, argv));
}
