/* The questions of matrix_test.py, put to the C interface:  driver MODEL < questions
 *
 * A question is lines of a word and its value, of which the last is "ask". Its answer is a line: a
 * list of hits for each query as JSON, [id, distance] each, or the error. Where terms are compared,
 * the number is the score instead of the distance. */
#include <embd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 64, line_size = 1 << 16, most_values = 1 << 12 };

/* What was said since the last "ask". The strings are the question's own. */
static struct {
  char* paths[most];
  char* texts[most];
  char* allowed[most];
  embd_column_value where[most]; /* one piece of memory each, which begins with the column */
  char *prompt, *prompt_name, *file, *terms, *match;
  size_t num_paths, num_texts, num_allowed, num_where, num_vectors, num_values, num_bit_rows,
      num_bits;
  float values[most_values];
  uint8_t bits[most_values];
  int metric, exact, has_filter;
} asked;

static const char* const metric_names[] = {"cos",       "ip",         "l2sq",    "pearson",
                                           "haversine", "divergence", "hamming", "tanimoto",
                                           "sorensen",  "jaccard"};
static const char* const relation_symbols[] = {"=", "!=", "<", "<=", ">", ">="};

static char* copy(const char* text) {
  char* copied = malloc(strlen(text) + 1);
  return strcpy(copied, text);
}

static void reset(void) {
  for (size_t i = 0; i < asked.num_paths; ++i) free(asked.paths[i]);
  for (size_t i = 0; i < asked.num_texts; ++i) free(asked.texts[i]);
  for (size_t i = 0; i < asked.num_allowed; ++i) free(asked.allowed[i]);
  for (size_t i = 0; i < asked.num_where; ++i) free((char*)asked.where[i].column);
  free(asked.prompt);
  free(asked.prompt_name);
  free(asked.file);
  free(asked.terms);
  free(asked.match);
  memset(&asked, 0, sizeof asked);
  asked.metric = EMBD_METRIC_OF_FILE;
}

static void take(const char* word, const char* value) {
  if (strcmp(word, "set") == 0) asked.paths[asked.num_paths++] = copy(value);
  if (strcmp(word, "text") == 0) asked.texts[asked.num_texts++] = copy(value);
  if (strcmp(word, "allow") == 0) asked.allowed[asked.num_allowed++] = copy(value);
  if (strcmp(word, "where") == 0) {
    char* column = copy(value);
    size_t end = strcspn(column, "!<>=");
    int relation = 0; /* the last symbol that stands here, since "<" begins "<=" */
    for (int i = 0; i <= EMBD_GREATER_EQUAL; ++i)
      if (strncmp(column + end, relation_symbols[i], strlen(relation_symbols[i])) == 0)
        relation = i;
    const char* wanted = column + end + strlen(relation_symbols[relation]);
    asked.where[asked.num_where++] = (embd_column_value){column, wanted, relation};
    column[end] = '\0';
  }
  if (strcmp(word, "prompt") == 0) asked.prompt = copy(value);
  if (strcmp(word, "prompt_name") == 0) asked.prompt_name = copy(value);
  if (strcmp(word, "file") == 0) asked.file = copy(value);
  if (strcmp(word, "terms") == 0) asked.terms = copy(value);
  if (strcmp(word, "match") == 0) asked.match = copy(value);
  if (strcmp(word, "exact") == 0) asked.exact = 1;
  if (strcmp(word, "filter") == 0) asked.has_filter = 1;
  for (int i = 0; strcmp(word, "metric") == 0 && i <= EMBD_METRIC_JACCARD; ++i)
    if (strcmp(value, metric_names[i]) == 0) asked.metric = i;
  if (strcmp(word, "vector") == 0) {
    ++asked.num_vectors;
    char* end;
    for (const char* at = value; *at != '\0'; at = *end == ' ' ? end + 1 : end)
      asked.values[asked.num_values++] = strtof(at, &end);
  }
  if (strcmp(word, "bits") == 0) {
    ++asked.num_bit_rows;
    for (unsigned byte; sscanf(value, "%2x", &byte) == 1; value += 2)
      asked.bits[asked.num_bits++] = (uint8_t)byte;
  }
}

static embd_status make_queries(const embd_searcher* searcher, const embd_model* model,
                                embd_queries** queries, embd_error** error) {
  if (asked.file) return embd_queries_from_file(searcher, asked.file, 0, queries, error);
  if (asked.num_vectors > 0) {
    return embd_queries_from_vectors(searcher, asked.values, asked.num_vectors,
                                     asked.num_values / asked.num_vectors, queries, error);
  }
  if (asked.num_bit_rows > 0) {
    return embd_queries_from_bits(searcher, asked.bits, asked.num_bit_rows,
                                  asked.num_bits / asked.num_bit_rows, queries, error);
  }
  embd_text texts[most];
  for (size_t i = 0; i < asked.num_texts; ++i)
    texts[i] = (embd_text){asked.texts[i], strlen(asked.texts[i])};
  embd_query_options options = EMBD_QUERY_OPTIONS_INIT;
  options.prompt = asked.prompt;
  options.prompt_name = asked.prompt_name;
  return embd_queries_from_texts(searcher, model, texts, asked.num_texts, &options, queries, error);
}

static embd_status make_filter(const embd_searcher* searcher, embd_filter** filter,
                               embd_error** error) {
  const char* const* allowed = (const char* const*)asked.allowed;
  if (asked.num_where > 0) {
    return embd_filter_create_where(searcher, asked.has_filter ? allowed : NULL, asked.num_allowed,
                                    asked.where, asked.num_where, filter, error);
  }
  if (!asked.has_filter) return EMBD_OK;
  return embd_filter_create(searcher, allowed, asked.num_allowed, filter, error);
}

static void print(const embd_searcher* searcher, size_t num_queries, size_t k,
                  const embd_row_hit* hits, const size_t* counts) {
  for (size_t query = 0; query < num_queries; ++query) {
    printf(query == 0 ? "[[" : ",[");
    for (size_t i = 0; i < counts[query]; ++i) {
      char id[256];
      embd_searcher_id(searcher, hits[query * k + i].row, id, sizeof id);
      printf("%s[\"%s\",%.9g]", i == 0 ? "" : ",", id, (double)hits[query * k + i].distance);
    }
    printf("]");
  }
  printf("]\n");
}

/* Searches as the question says, and writes a row and a number of each hit into `hits`. */
static embd_status search(const embd_searcher* searcher, const embd_queries* queries, size_t k,
                          const embd_filter* filter, embd_row_hit* hits, size_t* counts,
                          embd_error** error) {
  embd_search_options options = EMBD_SEARCH_OPTIONS_INIT;
  options.exact = asked.exact;
  if (!asked.match)
    return embd_searcher_search(searcher, queries, k, &options, filter, hits, counts, error);
  static embd_term_hit best[most];
  static embd_fused_row fused[most];
  const int are_terms = strcmp(asked.match, "terms") == 0;
  const embd_status status =
      are_terms
          ? embd_searcher_search_terms(searcher, queries, k, filter, best, counts, error)
          : embd_searcher_search_both(searcher, queries, k, &options, filter, fused, counts, error);
  for (size_t i = 0; status == EMBD_OK && i < most; ++i)
    hits[i] = are_terms ? (embd_row_hit){best[i].row, best[i].score}
                        : (embd_row_hit){fused[i].row, fused[i].score};
  return status;
}

/* Without a set, the texts are embedded and the answer is an empty list. */
static void encode(const embd_model* model) {
  embd_error* error = NULL;
  embd_text texts[most];
  const size_t size = asked.num_texts * embd_model_dim(model);
  for (size_t i = 0; i < asked.num_texts; ++i)
    texts[i] = (embd_text){asked.texts[i], strlen(asked.texts[i])};
  float* rows = malloc(size * sizeof *rows);
  if (embd_encode(model, texts, asked.num_texts, NULL, rows, size, NULL, &error)) {
    printf("error: %s\n", embd_error_message(error));
    embd_error_free(error);
  } else {
    printf("[]\n");
  }
  free(rows);
}

static void answer(const embd_model* model, size_t k) {
  if (asked.num_paths == 0) {
    encode(model);
    return;
  }
  embd_error* error = NULL;
  embd_searcher* searcher = NULL;
  embd_queries* queries = NULL;
  embd_filter* filter = NULL;
  embd_row_hit hits[most];
  size_t counts[most];
  embd_searcher_options options = EMBD_SEARCHER_OPTIONS_INIT;
  options.metric = asked.metric;
  options.terms = asked.terms;
  if (embd_searcher_open_shards((const char* const*)asked.paths, asked.num_paths, &options,
                                &searcher, &error) ||
      make_queries(searcher, model, &queries, &error) || make_filter(searcher, &filter, &error) ||
      search(searcher, queries, k, filter, hits, counts, &error)) {
    printf("error: %s\n", embd_error_message(error));
    embd_error_free(error);
  } else {
    print(searcher, embd_queries_size(queries), k, hits, counts);
  }
  embd_filter_free(filter);
  embd_queries_free(queries);
  embd_searcher_free(searcher);
}

int main(int argc, char** argv) {
  static char line[line_size];
  embd_model* model = NULL;
  embd_error* error = NULL;
  if (argc != 2) return 2;
  if (embd_model_open(argv[1], NULL, &model, &error)) {
    fprintf(stderr, "%s\n", embd_error_message(error));
    return 1;
  }
  reset();
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char* space = strchr(line, ' ');
    if (space != NULL) *space = '\0';
    const char* value = space != NULL ? space + 1 : "";
    if (strcmp(line, "ask") == 0) {
      answer(model, strtoul(value, NULL, 10));
      reset();
    } else {
      take(line, value);
    }
  }
  embd_model_free(model);
  return 0;
}
