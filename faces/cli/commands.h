#pragma once

#include "faces/cli/options/verb.h"

namespace embd::cli {

// Each function adds a verb to the program. It stands in the file of this name in faces/cli/verbs;
// add_check() stands in lock.cc, and add_man() in completion.cc.
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
void add_digest(Verb& program);
void add_join(Verb& program);
void add_completion(Verb& program);
void add_man(Verb& program);

}  // namespace embd::cli
