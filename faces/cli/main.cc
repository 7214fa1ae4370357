#include "base/os/signals.h"
#include "base/os/standard_streams.h"
#include "faces/cli/commands.h"
#include "faces/cli/lost_file.h"

int main(int argc, char** argv) {
  embd::os::ignore_write_signals();
  embd::os::occupy_closed_standard_streams();
  using namespace embd::cli;
  report_lost_files();
  Verb program("embd", "Sentence embeddings: the same text gives the same bytes.");
  describe_program(program);
  add_embed(program);
  add_tokenize(program);
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
