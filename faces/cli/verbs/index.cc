#include <optional>
#include <stop_token>

#include "base/os/signals.h"
#include "base/try.h"
#include "embd/convert.h"
#include "embd/model.h"
#include "faces/cli/commands.h"
#include "faces/cli/options/listed_options.h"
#include "faces/cli/options/model_options.h"
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
  ModelOptions model;  ///< whose tokens are the terms
  const Verb* verb = nullptr;
};

Result<ExitCode> write_terms(const IndexRequest& options, const std::stop_token& stop) {
  EMBD_TRY(check_index_scopes(*options.verb, "terms"));
  EMBD_TRY(check_input_scopes(*options.verb, {options.vectors}, options.index.read));
  std::optional<Model> model;
  TermOptions terms = options.terms;
  if (terms.kind == TermKind::tokens) {
    model = EMBD_TRY(open_model(options.model));
    terms.model = &*model;
  }
  EMBD_TRY(index_terms(options.vectors, options.output, terms, options.index.read, stop));
  return ExitCode::good;
}

Result<ExitCode> index(const IndexRequest& options) {
  const os::Interrupt interrupt;
  EMBD_TRY(check_needs(*options.verb));
  if (is_term_index(options.output)) return write_terms(options, interrupt.token());
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
  add_model_options(verb, options.model);
  for (const char* name : {"--model", "--vocab"}) verb.option(name).useless_without = "--term-kind";
}

}  // namespace embd::cli
