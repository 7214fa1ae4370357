
#include "base/os/signals.h"
#include "base/try.h"
#include "embd/convert.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/vector_options.h"
#include "jobs/options/job_lists.h"
#include "jobs/outputs/term_output.h"

namespace embd::cli {
namespace {

struct IndexRequest {
  std::string vectors;
  std::string output;
  IndexFileOptions index;
  TermOptions terms;
  const Verb* verb = nullptr;
};

Result<ExitCode> index(const IndexRequest& options) {
  const os::Interrupt interrupt;
  if (is_term_index(options.output)) {
    EMBD_TRY(check_index_scopes(*options.verb, "terms"));
    EMBD_TRY(check_input_scopes(*options.verb, {options.vectors}, options.index.read));
    EMBD_TRY(index_terms(options.vectors, options.output, options.terms, options.index.read,
                         interrupt.token()));
    return ExitCode::good;
  }
  const IndexKind kind = EMBD_TRY(index_kind_of(options.output));
  EMBD_TRY(check_index_scopes(*options.verb, kind == IndexKind::hnsw ? "hnsw" : "vamana"));
  EMBD_TRY(check_input_scopes(*options.verb, {options.vectors}, options.index.read));
  EMBD_TRY(index_file(options.vectors, options.output, options.index, interrupt.token()));
  return ExitCode::good;
}

}  // namespace

void add_index(Verb& program) {
  auto [verb, options] =
      program.add_verb("index", "Builds a search index of vectors, or of words", index);
  IndexOptions& index = options.index.index;
  verb.add_option("VECTORS", options.vectors, "A vector set in any readable format").required();
  verb.add_option("-o,--output", options.output,
                  "The index: .usearch (HNSW), .svs or .config (Vamana), or .terms (words)")
      .required()
      .type_name("OUT")
      .in(OptionGroup::output);
  add_read_options(verb, options.index.read);
  add_all_listed(verb, index);
  add_all_listed(verb, options.index);
  add_all_listed(verb, options.terms);
}

}  // namespace embd::cli
