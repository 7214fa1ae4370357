#pragma once

#include "faces/cli/options/verb.h"

namespace embd::cli {

/// Adds --version and the end of the help to the program.
void describe_program(Verb& program);
/// Parses the arguments of main() and runs the verb that they name. If that fails, prints the error
/// and what the user can do about it.
ExitCode run_program(Verb& program, int argc, char** argv);

// Each function adds a verb to the program, and has a file of its own in faces/cli/verbs.
void add_embed(Verb& program);
void add_tokenize(Verb& program);
void add_split(Verb& program);
void add_collect(Verb& program);
void add_similarity(Verb& program);
void add_convert(Verb& program);
void add_inspect(Verb& program);
void add_compare(Verb& program);
void add_verify(Verb& program);
void add_lock(Verb& program);
void add_check(Verb& program);
void add_index(Verb& program);
void add_search(Verb& program);
void add_rerank(Verb& program);
void add_cluster(Verb& program);
void add_map(Verb& program);
void add_dedupe(Verb& program);
void add_mcp(Verb& program);
void add_serve(Verb& program);
void add_model(Verb& program);
void add_model_get(Verb& model);  ///< to `embd model`
void add_digest(Verb& program);
void add_join(Verb& program);
void add_completion(Verb& program);
void add_man(Verb& program);

}  // namespace embd::cli
