/* The same as job.cc from C:  job_c MODEL TEXTS VECTORS QUERY */
#include <embd.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  enum { k = 3 };
  embd_model* model = NULL;
  embd_searcher* searcher = NULL;
  embd_error* error = NULL;
  embd_embed_options options = EMBD_EMBED_OPTIONS_INIT;
  embd_verification verified;
  embd_row_hit hits[k];
  size_t count = 0;
  if (argc != 5) return 2;
  const char* outputs[] = {argv[3]};
  const embd_text query = {argv[4], strlen(argv[4])};
  options.resume = 1; /* Run it again after a crash: finished rows are in VECTORS.journal. */
  if (embd_model_open(argv[1], NULL, &model, &error) ||
      embd_embed_file(model, argv[2], outputs, 1, &options, NULL, &error) ||
      embd_verify_file(model, argv[3], argv[2], 0, &verified, &error) ||
      embd_searcher_open(argv[3], NULL, &searcher, &error) ||
      embd_searcher_search_texts(searcher, model, &query, 1, NULL, k, NULL, hits, &count, &error)) {
    fprintf(stderr, "%s\n", error ? embd_error_message(error) : "out of memory");
    embd_error_free(error);
    return 1;
  }
  for (size_t i = 0; i < count; ++i) {
    char id[64];
    embd_searcher_id(searcher, hits[i].row, id, sizeof id);
    printf("%g %s\n", 1 - hits[i].distance, id);
  }
  embd_searcher_free(searcher);
  embd_model_free(model);
  return verified.num_equal == verified.num_rows ? 0 : 5;
}
