/* The first components of a sentence's vector, from C:  embed_c MODEL.weights "A cat sits." */
#include <embd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(embd_error* error) {
  fprintf(stderr, "%s\n", error ? embd_error_message(error) : "out of memory");
  embd_error_free(error);
  return 1;
}

int main(int argc, char** argv) {
  embd_model* model;
  embd_error* error;
  if (argc != 3) return 2;
  if (embd_model_open(argv[1], NULL, &model, &error) != EMBD_OK) return fail(error);

  size_t dim = embd_model_dim(model);
  float* row = malloc(dim * sizeof *row);
  embd_text text = {argv[2], strlen(argv[2])};
  if (embd_encode(model, &text, 1, NULL, row, dim, NULL, &error) != EMBD_OK) return fail(error);
  for (size_t i = 0; i < 4; ++i) printf("%.6f ", row[i]);
  printf("… %zu components\n", dim);

  free(row);
  embd_model_free(model);
  return 0;
}
