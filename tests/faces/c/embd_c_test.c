/* The C interface, used from C:  embd_c_test MODEL FOLDER CROSS_ENCODER
 * MODEL: the small one of tests/data/embd; FOLDER: where files may be written. */
#include <embd.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* step = "";
static embd_error* error; /* of the last call that failed */

#define EXPECT(condition)                                                        \
  do {                                                                           \
    if (!(condition)) {                                                          \
      fprintf(stderr, "%s, line %d: expected %s\n", step, __LINE__, #condition); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

enum { count = 3, most_components = 1024 };
static const embd_text texts[count] = {{"a cat", 5}, {"a longer text with words", 24}, {NULL, 0}};
static float rows[count * most_components];
static embd_row_report reports[count];

static void expect_good(embd_status status) {
  if (status != EMBD_OK) fprintf(stderr, "%s\n", embd_error_message(error));
  EXPECT(status == EMBD_OK);
}

static void expect_failure(embd_status status, embd_status expected, const char* words) {
  EXPECT(status == expected);
  const char* message = embd_error_message(error);
  if (strstr(message, words) == NULL) fprintf(stderr, "without \"%s\": %s\n", words, message);
  EXPECT(strstr(message, words) != NULL);
  embd_error_free(error);
}

static void check_errors(const embd_model* model) {
  step = "errors";
  embd_model* none = NULL;
  expect_failure(embd_model_open("missing.weights", NULL, &none, &error), EMBD_IO_FAILED,
                 "missing.weights");
  EXPECT(none == NULL);
  EXPECT(embd_model_open("missing.weights", NULL, &none, NULL) == EMBD_IO_FAILED);
  expect_failure(embd_model_open(NULL, NULL, &none, &error), EMBD_BAD_ARGUMENT, "NULL");
  expect_failure(embd_encode(model, texts, count, NULL, rows, 1, NULL, &error), EMBD_BAD_ARGUMENT,
                 "1");
  embd_encode_options options = EMBD_ENCODE_OPTIONS_INIT;
  options.max_length = 1 << 30;
  expect_failure(embd_encode(model, texts, count, &options, rows, most_components, NULL, &error),
                 EMBD_BAD_ARGUMENT, "");
  embd_index* index = NULL;
  expect_failure(embd_write_vectors("none.npy", rows, SIZE_MAX, SIZE_MAX, NULL, NULL, NULL, &error),
                 EMBD_BAD_ARGUMENT, "memory");
  expect_failure(embd_index_build(rows, SIZE_MAX / 2, 8, NULL, EMBD_METRIC_COS, 1, &index, &error),
                 EMBD_BAD_ARGUMENT, "memory");
  expect_failure(embd_index_build(NULL, 2, 8, NULL, EMBD_METRIC_COS, 1, &index, &error),
                 EMBD_BAD_ARGUMENT, "rows is NULL");
  expect_failure(embd_index_build(rows, 2, 8, NULL, EMBD_METRIC_COS, -1, &index, &error),
                 EMBD_BAD_ARGUMENT, "threads is -1");
  embd_error_free(NULL);
  embd_model_free(NULL);
  embd_index_free(NULL);
}

static void check_encode(const embd_model* model, size_t dim) {
  step = "encode";
  expect_good(embd_encode(model, texts, count, NULL, rows, count * dim, reports, &error));
  for (size_t i = 0; i < count; ++i) {
    float row[most_components];
    float length = 0;
    for (size_t c = 0; c < dim; ++c) length += rows[i * dim + c] * rows[i * dim + c];
    EXPECT(fabsf(length - 1) < 1e-5F);
    EXPECT(reports[i].tokens >= 2 && !reports[i].truncated);
    expect_good(embd_encode(model, &texts[i], 1, NULL, row, dim, NULL, &error));
    EXPECT(memcmp(row, rows + i * dim, dim * sizeof *row) == 0);
  }
  expect_good(embd_encode(model, NULL, 0, NULL, NULL, 0, NULL, &error));

  /* What an older program does not know of the options keeps its default. */
  embd_encode_options options = EMBD_ENCODE_OPTIONS_INIT;
  options.size = offsetof(embd_encode_options, truncate_dim);
  options.truncate_dim = 2;
  expect_good(embd_encode(model, texts, count, &options, rows, count * dim, NULL, &error));
  options.size = sizeof options;
  expect_good(embd_encode(model, texts, count, &options, rows, count * 2, NULL, &error));
  expect_good(embd_encode(model, texts, count, NULL, rows, count * dim, reports, &error));
}

static void check_tokenize(const embd_model* model) {
  step = "tokenize";
  int32_t ids[64];
  size_t num_ids = 0;
  expect_good(embd_tokenize(model, texts[1], NULL, NULL, 0, &num_ids, &error));
  EXPECT(num_ids == reports[1].tokens);
  size_t again = 0;
  ids[num_ids] = -7;
  expect_good(embd_tokenize(model, texts[1], NULL, ids, 64, &again, &error));
  EXPECT(again == num_ids && ids[0] != ids[num_ids - 1] && ids[num_ids] == -7);

  embd_byte_range ranges[64];
  int32_t located[64];
  expect_good(embd_tokenize_ranges(model, texts[1], NULL, located, ranges, 64, &again, &error));
  EXPECT(again == num_ids && memcmp(located, ids, num_ids * sizeof *ids) == 0);
  EXPECT(ranges[0].end == 0 && ranges[num_ids - 1].end == 0);
  EXPECT(ranges[1].begin < ranges[1].end && ranges[num_ids - 2].end <= texts[1].size);
  expect_failure(embd_tokenize_ranges(model, texts[1], NULL, located, NULL, 64, &again, &error),
                 EMBD_BAD_ARGUMENT, "ranges");
}

static void check_ids(const embd_model* model) {
  step = "ids";
  const size_t dim = embd_model_dim(model);
  int32_t ids[count][64];
  embd_token_ids tokens[count];
  for (size_t i = 0; i < count; ++i) {
    tokens[i].data = ids[i];
    expect_good(embd_tokenize(model, texts[i], NULL, ids[i], 64, &tokens[i].size, &error));
  }
  float* again = malloc(count * dim * sizeof *again);
  embd_row_report of_ids[count];
  expect_good(embd_encode_ids(model, tokens, count, NULL, again, count * dim, of_ids, &error));
  EXPECT(memcmp(again, rows, count * dim * sizeof *again) == 0);
  EXPECT(of_ids[1].tokens == tokens[1].size && !of_ids[1].truncated);
  ids[0][0] = -1;
  expect_failure(embd_encode_ids(model, tokens, count, NULL, again, count * dim, NULL, &error),
                 EMBD_BAD_ARGUMENT, "id is -1");
  free(again);
}

static void check_prompts(const embd_model* model) {
  step = "prompts";
  EXPECT(strcmp(embd_model_prompt_name(model, 0), "query") == 0);
  EXPECT(strcmp(embd_model_prompt_text(model, 1), "") == 0);
  EXPECT(embd_model_prompt_name(model, 2) == NULL && embd_model_prompt_text(model, 2) == NULL);
  EXPECT(embd_model_note(model, 0) == NULL);
  embd_encode_options options = EMBD_ENCODE_OPTIONS_INIT;
  size_t num_ids = 0;
  options.prompt_name = "document";
  options.truncation_side = EMBD_TRUNCATION_LEFT;
  expect_good(embd_tokenize(model, texts[0], &options, NULL, 0, &num_ids, &error));
  options.prompt_name = "none of them";
  expect_failure(embd_tokenize(model, texts[0], &options, NULL, 0, &num_ids, &error),
                 EMBD_BAD_ARGUMENT, "none of them");
}

static void check_index(size_t dim, const char* folder) {
  step = "index";
  embd_index* index = NULL;
  const uint64_t ids[count] = {10, 20, 30};
  expect_good(embd_index_build(rows, count, dim, ids, EMBD_METRIC_COS, 1, &index, &error));
  EXPECT(embd_index_size(index) == count && embd_index_dim(index) == dim);
  char path[4096];
  snprintf(path, sizeof path, "%s/c_api.usearch", folder);
  expect_good(embd_index_save(index, path, &error));
  embd_index_free(index);
  index = NULL;
  expect_good(embd_index_open(path, EMBD_METRIC_OF_FILE, &index, &error));

  embd_hit hits[count];
  size_t found = 0;
  expect_good(embd_index_search(index, rows + dim, dim, 2, NULL, hits, &found, &error));
  EXPECT(found == 2 && hits[0].id == 20 && hits[0].distance <= hits[1].distance);
  embd_search_options options = EMBD_SEARCH_OPTIONS_INIT;
  options.exact = 1;
  expect_good(embd_index_search(index, rows, dim, 3, &options, hits, &found, &error));
  EXPECT(found == 3 && hits[0].id == 10);
  expect_failure(embd_index_search(index, rows, dim + 1, 2, NULL, hits, &found, &error),
                 EMBD_BAD_ARGUMENT, "");
  const uint8_t bits[1] = {0};
  expect_failure(embd_index_search_bits(index, bits, 1, 2, NULL, hits, &found, &error),
                 EMBD_BAD_ARGUMENT, "bits");
  embd_index* wrong = NULL;
  expect_failure(embd_index_open(path, EMBD_METRIC_IP, &wrong, &error), EMBD_BAD_ARGUMENT, "cos");
  embd_index_free(index);
  remove(path);
}

static void check_write(const embd_model* model, size_t dim, const char* folder) {
  step = "write";
  const char* names[] = {"c_api.npy", "c_api.npy.recipe.json", "c_api.npy.ids.jsonl"};
  const uint64_t ids[count] = {10, 20, 30};
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, names[0]);
  expect_good(embd_write_vectors(path, rows, count, dim, ids, model, NULL, &error));
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    EXPECT(remove(path) == 0);
  }
  expect_failure(embd_write_vectors("x.unknown", rows, count, dim, NULL, NULL, NULL, &error),
                 EMBD_BAD_ARGUMENT, "x.unknown");
}

/* A number that is none of an enum's is an error, whatever it is. */
static void check_enums(const char* path) {
  step = "enums";
  const int wrong[] = {-2, 7, 99, 1 << 30, -2147483647 - 1};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    embd_model* model = NULL;
    embd_index* index = NULL;
    embd_load_options load = EMBD_LOAD_OPTIONS_INIT;
    load.compute = wrong[i];
    expect_failure(embd_model_open(path, &load, &model, &error), EMBD_BAD_ARGUMENT, "compute");
    expect_failure(embd_index_build(rows, 1, 2, NULL, wrong[i], 1, &index, &error),
                   EMBD_BAD_ARGUMENT, "metric");
    expect_good(embd_model_open(path, NULL, &model, &error));
    embd_encode_options encode = EMBD_ENCODE_OPTIONS_INIT;
    encode.pooling = wrong[i];
    expect_failure(embd_encode(model, texts, 1, &encode, rows, most_components, NULL, &error),
                   EMBD_BAD_ARGUMENT, "pooling");
    encode.pooling = EMBD_POOLING_OF_MODEL;
    encode.truncation_side = wrong[i];
    expect_failure(embd_encode(model, texts, 1, &encode, rows, most_components, NULL, &error),
                   EMBD_BAD_ARGUMENT, "truncate_side");
    embd_model_free(model);
  }
}

/* A number outside what the option takes is one, too; 0 is what is meant where nobody asks. */
static void check_numbers(const embd_model* model) {
  step = "numbers";
  const int wrong[] = {-1, (1 << 16) + 1, -2147483647 - 1};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    embd_encode_options encode = EMBD_ENCODE_OPTIONS_INIT;
    encode.threads = wrong[i];
    expect_failure(embd_encode(model, texts, 1, &encode, rows, most_components, NULL, &error),
                   EMBD_BAD_ARGUMENT, "threads");
  }
}

static int progress_rows;
static int is_stopping;
static int take_progress(void* user, const embd_progress* progress) {
  EXPECT(user == &progress_rows && progress->rows > 0);
  progress_rows = (int)progress->rows;
  return is_stopping;
}

/* A new file of texts; `path` [4096] is its name. */
static FILE* create_input(const char* folder, const char* name, char* path) {
  snprintf(path, 4096, "%s/%s", folder, name);
  FILE* file = fopen(path, "w");
  EXPECT(file != NULL);
  return file;
}

/* More texts than are under way at once, so that a stop comes before the last. */
static void check_cancellation(const embd_model* model, const char* folder) {
  step = "cancellation";
  char input[4096], vectors[4096];
  snprintf(vectors, sizeof vectors, "%s/c_api_many.npy", folder);
  FILE* file = create_input(folder, "c_api_many.txt", input);
  for (int i = 0; i < 30000; ++i) fprintf(file, "a cat sits %d\n", i);
  fclose(file);
  const char* outputs[] = {vectors};
  embd_embed_options options = EMBD_EMBED_OPTIONS_INIT;
  options.progress = take_progress;
  options.user = &progress_rows;
  is_stopping = 1;
  expect_failure(embd_embed_file(model, input, outputs, 1, &options, NULL, &error), EMBD_CANCELLED,
                 "");
  is_stopping = 0;
  EXPECT(fopen(vectors, "r") == NULL);
  remove(input);
}

static void check_token_ids_job(const embd_model* model, const char* folder) {
  step = "a job of token ids";
  char input[4096], vectors[4096];
  snprintf(vectors, sizeof vectors, "%s/c_api_ids.npy", folder);
  FILE* file = create_input(folder, "c_api_ids.jsonl", input);
  fputs("{\"ids\":[101,64,139,102]}\n{\"ids\":[101,102]}\n", file);
  fclose(file);
  const char* outputs[] = {vectors};
  embd_embed_options options = EMBD_EMBED_OPTIONS_INIT;
  expect_failure(embd_embed_file(model, input, outputs, 1, &options, NULL, &error), EMBD_BAD_INPUT,
                 "text");
  options.token_ids_field = "ids";
  embd_embed_report report;
  expect_good(embd_embed_file(model, input, outputs, 1, &options, &report, &error));
  EXPECT(report.rows == 2 && report.tokens == 6);
  remove(input);
}

static void check_empty_texts(const embd_model* model, const char* folder) {
  step = "empty texts";
  char input[4096], vectors[4096];
  snprintf(vectors, sizeof vectors, "%s/c_api_empty.npy", folder);
  FILE* file = create_input(folder, "c_api_empty.txt", input);
  fputs("a cat\n\n \nwords\n", file);
  fclose(file);
  const char* outputs[] = {vectors};
  embd_embed_options options = EMBD_EMBED_OPTIONS_INIT;
  embd_embed_report report;
  expect_good(embd_embed_file(model, input, outputs, 1, &options, &report, &error));
  EXPECT(report.rows == 4);
  options.delimiter = ';';
  expect_failure(embd_embed_file(model, input, outputs, 1, &options, &report, &error),
                 EMBD_BAD_ARGUMENT, "delimiter");
  options.delimiter = 0;
  options.skip_empty = 1;
  expect_good(embd_embed_file(model, input, outputs, 1, &options, &report, &error));
  EXPECT(report.rows == 2);
  remove(input);
  remove(vectors);
}

static void check_several_inputs(const embd_model* model, const char* folder) {
  step = "several inputs with columns";
  char first[4096], second[4096], vectors[4096];
  snprintf(vectors, sizeof vectors, "%s/c_api_columns.jsonl", folder);
  FILE* file = create_input(folder, "c_api_a.jsonl", first);
  fputs("{\"text\":\"a cat\",\"level\":\"ERROR\"}\n{\"text\":\"a dog\",\"level\":\"INFO\"}\n",
        file);
  fclose(file);
  file = create_input(folder, "c_api_b.jsonl", second);
  fputs("{\"text\":\"rain\",\"level\":\"ERROR\"}\n", file);
  fclose(file);
  const char* inputs[] = {first, second};
  const char* outputs[] = {vectors};
  const char* columns[] = {"level:text"};
  embd_embed_options options = EMBD_EMBED_OPTIONS_INIT;
  options.column_fields = columns;
  options.num_column_fields = 1;
  options.ids_from_file = 1;
  embd_embed_report report;
  expect_good(embd_embed_files(model, inputs, 2, outputs, 1, &options, &report, &error));
  EXPECT(report.rows == 3);
  expect_failure(embd_embed_files(model, inputs, 0, outputs, 1, &options, &report, &error),
                 EMBD_BAD_ARGUMENT, "");

  embd_searcher* searcher = NULL;
  expect_good(embd_searcher_open(vectors, NULL, &searcher, &error));
  char id[4096], values[64];
  embd_searcher_id(searcher, 2, id, sizeof id);
  EXPECT(strncmp(id, second, strlen(second)) == 0 && strcmp(id + strlen(second), ":1") == 0);
  EXPECT(embd_searcher_columns(searcher, 1, values, sizeof values) == strlen(values));
  EXPECT(strcmp(values, "{\"level\":\"INFO\"}") == 0);
  EXPECT(embd_searcher_columns(searcher, 3, values, sizeof values) == 0);
  const embd_column_value wanted[] = {{"level", "ERROR", EMBD_EQUAL},
                                      {"level", "WARN", EMBD_EQUAL}};
  const char* ids[] = {id};
  embd_filter* filter = NULL;
  expect_good(embd_filter_create_where(searcher, NULL, 0, wanted, 2, &filter, &error));
  EXPECT(embd_filter_size(filter) == 2);
  embd_filter_free(filter);
  expect_good(embd_filter_create_where(searcher, ids, 1, wanted, 2, &filter, &error));
  EXPECT(embd_filter_size(filter) == 1);
  embd_filter_free(filter);
  const embd_column_value unknown = {"levl", "ERROR", EMBD_EQUAL};
  expect_failure(embd_filter_create_where(searcher, NULL, 0, &unknown, 1, &filter, &error),
                 EMBD_BAD_ARGUMENT, "level");
  embd_searcher_free(searcher);
  remove(first);
  remove(second);
  remove(vectors);
}

/* Searches by terms, and by vectors and terms, of texts that embd_embed_file wrote. */
static void check_terms(const embd_model* model, const char* folder) {
  step = "terms";
  char input[4096], vectors[4096], terms[4096], again[4096];
  snprintf(vectors, sizeof vectors, "%s/c_terms.npy", folder);
  snprintf(terms, sizeof terms, "%s/c_terms.terms", folder);
  snprintf(again, sizeof again, "%s/c_again.terms", folder);
  FILE* file = create_input(folder, "c_terms.txt", input);
  fputs("a cat sits\ntwo dogs run\nthe cat and the dogs\n", file);
  fclose(file);
  const char* outputs[] = {vectors, terms};
  embd_embed_options options = EMBD_EMBED_OPTIONS_INIT;
  options.stemmer = 99;
  expect_failure(embd_embed_file(model, input, outputs, 2, &options, NULL, &error),
                 EMBD_BAD_ARGUMENT, "stemmer");
  options.stemmer = EMBD_STEMMER_NONE;
  expect_good(embd_embed_file(model, input, outputs, 2, &options, NULL, &error));
  expect_failure(embd_index_terms(vectors, again, NULL, EMBD_TERM_WORDS, EMBD_STEMMER_NONE, &error),
                 EMBD_BAD_INPUT, "stores no texts");

  embd_searcher_options of_searcher = EMBD_SEARCHER_OPTIONS_INIT;
  of_searcher.terms = terms;
  embd_searcher* searcher = NULL;
  expect_good(embd_searcher_open(vectors, &of_searcher, &searcher, &error));
  const embd_text wanted[] = {{"Cat", 3}, {"unknown", 7}};
  embd_queries* queries = NULL;
  expect_good(embd_queries_from_texts(searcher, model, wanted, 2, NULL, &queries, &error));
  embd_fused_row rows[2 * 3];
  embd_row_hit nearest[2 * 3];
  size_t counts[2];
  expect_good(embd_searcher_search(searcher, queries, 3, NULL, NULL, nearest, counts, &error));
  expect_good(embd_searcher_search_both(searcher, queries, 3, NULL, NULL, rows, counts, &error));
  EXPECT(counts[0] == 3 && counts[1] == 3);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT((rows[i].term_score > 0) == (rows[i].row != 1));
    EXPECT(rows[3 + i].row == nearest[3 + i].row && rows[3 + i].term_score == 0);
    EXPECT(rows[3 + i].distance == nearest[3 + i].distance);
  }
  embd_queries_free(queries);

  expect_good(embd_queries_from_terms(searcher, NULL, wanted, 2, &queries, &error));
  EXPECT(embd_queries_size(queries) == 2);
  embd_term_hit best[2 * 3];
  expect_good(embd_searcher_search_terms(searcher, queries, 3, NULL, best, counts, &error));
  EXPECT(counts[0] == 2 && counts[1] == 0 && best[0].score >= best[1].score && best[1].score > 0);
  expect_failure(embd_searcher_search_both(searcher, queries, 3, NULL, NULL, rows, counts, &error),
                 EMBD_BAD_ARGUMENT, "vectors");
  embd_queries_free(queries);

  expect_good(embd_queries_from_file(searcher, vectors, 0, &queries, &error));
  expect_failure(embd_searcher_search_terms(searcher, queries, 3, NULL, best, counts, &error),
                 EMBD_BAD_ARGUMENT, "terms");
  expect_failure(embd_queries_add_terms(searcher, NULL, wanted, 2, queries, &error),
                 EMBD_BAD_ARGUMENT, "one for each");
  embd_queries_free(queries);
  embd_searcher_free(searcher);
  remove(input);
  remove(vectors);
}

/* A collection of one document, made, searched and brought up to date. */
static void check_collect(const embd_model* model, const char* folder) {
  step = "collect";
  char input[4096], collection[4096], record[4200], tokens[4096];
  snprintf(collection, sizeof collection, "%s/c.collection", folder);
  snprintf(tokens, sizeof tokens, "%s/c_tokens.terms", folder);
  FILE* file = create_input(folder, "c_collect.md", input);
  fputs("# Cats\n\nA cat sits.\n\n# Dogs\n\nA dog runs.\n", file);
  fclose(file);
  const char* roots[] = {input};
  embd_collect_options options = EMBD_COLLECT_OPTIONS_INIT;
  options.max_tokens = 8;
  expect_failure(embd_collect(model, roots, 1, collection, &options, NULL, &error),
                 EMBD_BAD_ARGUMENT, "max_tokens");
  options.max_tokens = 64;
  options.stemmer = 99;
  expect_failure(embd_collect(model, roots, 1, collection, &options, NULL, &error),
                 EMBD_BAD_ARGUMENT, "stemmer");
  options.stemmer = EMBD_STEMMER_NONE;
  embd_collect_report report;
  expect_good(embd_collect(model, roots, 1, collection, &options, &report, &error));
  EXPECT(report.files == 1 && report.new_files == 1 && report.passages == 2 && !report.is_refused);
  expect_good(embd_collect(model, NULL, 0, collection, NULL, &report, &error));
  EXPECT(report.new_files == 0 && report.embedded == 0 && report.reused == 2);
  expect_failure(embd_index_terms(collection, tokens, NULL, EMBD_TERM_TOKENS, 0, &error),
                 EMBD_BAD_ARGUMENT, "need the model");
  expect_good(embd_index_terms(collection, tokens, model, EMBD_TERM_TOKENS, 0, &error));
  embd_searcher* searcher = NULL;
  expect_good(embd_searcher_open(collection, NULL, &searcher, &error));
  const embd_text wanted[] = {{"dog", 3}};
  embd_queries* queries = NULL;
  expect_good(embd_queries_from_terms(searcher, NULL, wanted, 1, &queries, &error));
  embd_term_hit hits[2];
  size_t count = 0;
  expect_good(embd_searcher_search_terms(searcher, queries, 2, NULL, hits, &count, &error));
  EXPECT(count == 1 && hits[0].row == 1);
  embd_queries_free(queries);
  embd_searcher_free(searcher);
  remove(input);
  expect_failure(embd_collect(model, NULL, 0, collection, NULL, &report, &error), EMBD_IO_FAILED,
                 "c_collect.md");
  /* What is left is no collection any more, so that the test can run again. */
  snprintf(record, sizeof record, "%s/collection.json", collection);
  remove(record);
}

static void check_jobs(const embd_model* model, const char* folder) {
  step = "jobs";
  char input[4096], vectors[4096], index[4096];
  snprintf(vectors, sizeof vectors, "%s/c_api_job.npy", folder);
  snprintf(index, sizeof index, "%s/c_api_job.usearch", folder);
  FILE* file = create_input(folder, "c_api.txt", input);
  fputs("a cat\na longer text with words\nanother\n", file);
  fclose(file);

  const char* outputs[] = {vectors, index};
  embd_embed_options options = EMBD_EMBED_OPTIONS_INIT;
  options.output_type = 99;
  expect_failure(embd_embed_file(model, input, outputs, 2, &options, NULL, &error),
                 EMBD_BAD_ARGUMENT, "output_type");
  options.output_type = EMBD_OUTPUT_AUTOMATIC;
  options.resume = 1;
  options.progress = take_progress;
  options.user = &progress_rows;
  embd_embed_report report;
  expect_good(embd_embed_file(model, input, outputs, 2, &options, &report, &error));
  EXPECT(report.rows == 3 && report.tokens > 6 && progress_rows == 3);

  embd_verification verified;
  expect_good(embd_verify_file(model, vectors, input, 0, &verified, &error));
  EXPECT(verified.num_rows == 3 && verified.num_expected == 3 && verified.num_equal == 3);

  for (size_t i = 0; i < 2; ++i) {
    embd_searcher* searcher = NULL;
    expect_good(embd_searcher_open(outputs[i], NULL, &searcher, &error));
    EXPECT(embd_searcher_size(searcher) == 3);
    EXPECT(embd_searcher_dim(searcher) == embd_model_dim(model));
    embd_row_hit hits[2 * 2];
    size_t counts[2];
    expect_good(
        embd_searcher_search_texts(searcher, model, texts, 2, NULL, 2, NULL, hits, counts, &error));
    EXPECT(counts[0] == 2 && counts[1] == 2 && hits[0].row == 0 && hits[2].row == 1);
    char id[2];
    EXPECT(embd_searcher_id(searcher, 1, id, sizeof id) == 1 && strcmp(id, "1") == 0);
    EXPECT(embd_searcher_id(searcher, 3, id, sizeof id) == 0);
    embd_searcher_free(searcher);
  }
  /* The first two are shards of one set, whose rows are counted on. */
  embd_searcher* both = NULL;
  expect_good(embd_searcher_open_shards(outputs, 2, NULL, &both, &error));
  EXPECT(embd_searcher_size(both) == 6);
  embd_row_hit nearest[2];
  size_t num_nearest = 0;
  expect_good(embd_searcher_search_texts(both, model, texts, 1, NULL, 2, NULL, nearest,
                                         &num_nearest, &error));
  EXPECT(num_nearest == 2 && nearest[0].row == 0 && nearest[1].row == 3);
  embd_searcher_free(both);
  expect_failure(embd_searcher_open_shards(outputs, 0, NULL, &both, &error), EMBD_BAD_ARGUMENT, "");
  embd_searcher_free(NULL);
}

/* The name of a file in the folder; good until the next four names. */
static const char* name_in(const char* folder, const char* name) {
  static char names[4][4096];
  static int next;
  next = (next + 1) % 4;
  snprintf(names[next], sizeof names[next], "%s/%s", folder, name);
  return names[next];
}

/* Unit vectors along the axes of four dimensions, each with the id 10, 20, 30, 40. */
enum { axes = 4 };
static const float axis_rows[axes * axes] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const uint64_t axis_ids[axes] = {10, 20, 30, 40};

static void check_convert(const char* folder) {
  step = "convert";
  const char* rows_file = name_in(folder, "c_api_axes.npy");
  const char* both = name_in(folder, "c_api_both.jsonl");
  expect_good(embd_write_vectors(rows_file, axis_rows, axes, axes, axis_ids, NULL, NULL, &error));
  const char* inputs[] = {rows_file, rows_file};
  expect_good(embd_convert(inputs, 2, both, &error));
  embd_searcher* searcher = NULL;
  expect_good(embd_searcher_open(both, NULL, &searcher, &error));
  EXPECT(embd_searcher_size(searcher) == 2 * axes && embd_searcher_dim(searcher) == axes);
  char id[8];
  EXPECT(embd_searcher_id(searcher, axes + 2, id, sizeof id) == 2 && strcmp(id, "30") == 0);
  embd_searcher_free(searcher);
  expect_failure(embd_convert(inputs, 0, both, &error), EMBD_BAD_ARGUMENT, "paths");
  expect_failure(embd_convert(inputs, 2, NULL, &error), EMBD_BAD_ARGUMENT, "output");
}

static void check_analysis(void) {
  step = "analysis";
  /* Two directions, one row twice. */
  const float points[] = {1, 0, 0.01F, 1, 1, 0.02F, 0, 2, 1, 0};
  uint64_t kept[5];
  size_t num_kept = 0;
  if (!HAS_ANALYSIS) {
    expect_failure(embd_find_duplicates(points, 5, 2, 0.9, 1, kept, &num_kept, &error),
                   EMBD_BAD_INPUT, "this build of embd has no analysis");
    return;
  }
  expect_good(embd_find_duplicates(points, 5, 2, 0.9, 1, kept, &num_kept, &error));
  const uint64_t expected[] = {0, 1, 0, 1, 0};
  EXPECT(memcmp(kept, expected, sizeof kept) == 0 && num_kept == 2);
  expect_failure(embd_find_duplicates(points, 5, 2, 3, 1, kept, NULL, &error), EMBD_BAD_ARGUMENT,
                 "min_similarity is 3");
  expect_failure(embd_find_duplicates(points, 5, 2, 0.9, 1, NULL, NULL, &error), EMBD_BAD_ARGUMENT,
                 "representatives");
  expect_failure(embd_find_duplicates(NULL, 5, 2, 0.9, 1, kept, NULL, &error), EMBD_BAD_ARGUMENT,
                 "rows is NULL");
  expect_failure(embd_find_duplicates(points, 5, 2, 0.9, -1, kept, NULL, &error), EMBD_BAD_ARGUMENT,
                 "threads is -1");

  embd_cluster_options options = EMBD_CLUSTER_OPTIONS_INIT;
  options.k = 2;
  int32_t groups[5];
  float distances[5];
  size_t num_groups = 0;
  expect_good(embd_cluster_rows(points, 5, 2, &options, groups, distances, &num_groups, &error));
  const int32_t of_rows[] = {0, 1, 0, 1, 0};
  EXPECT(memcmp(groups, of_rows, sizeof groups) == 0 && num_groups == 2 && distances[0] < 0.001F);
  options.k = 6;
  expect_failure(embd_cluster_rows(points, 5, 2, &options, groups, NULL, NULL, &error),
                 EMBD_BAD_ARGUMENT, "6 groups were asked for, but there are only 5 rows");
  expect_failure(embd_cluster_rows(points, 5, 2, NULL, NULL, NULL, NULL, &error), EMBD_BAD_ARGUMENT,
                 "groups is NULL");
  expect_failure(embd_cluster_rows(NULL, 5, 2, NULL, groups, NULL, NULL, &error), EMBD_BAD_ARGUMENT,
                 "rows is NULL");

  float places[10];
  float places_again[10];
  expect_good(embd_project(points, 5, 2, 2, 0, 1, places, &error));
  expect_good(embd_project(points, 5, 2, 2, 300, 2, places_again, &error));
  EXPECT(memcmp(places, places_again, sizeof places) == 0 && places[0] != places[2]);
  expect_failure(embd_project(points, 5, 2, 0, 0, 1, NULL, &error), EMBD_BAD_ARGUMENT,
                 "places is NULL");
  expect_failure(embd_project(NULL, 5, 2, 0, 0, 1, places, &error), EMBD_BAD_ARGUMENT,
                 "rows is NULL");
  expect_failure(embd_project(points, 5, 2, 0, 0, -1, places, &error), EMBD_BAD_ARGUMENT,
                 "threads is -1");
}

/* An index of a file, of either kind, is searched by the metric that it was built for. */
static void check_index_file(const char* folder) {
  step = "index file";
  const char* vectors = name_in(folder, "c_api_axes.npy");
  const char* names[] = {"c_api_l2.usearch", "c_api_l2.svs"};
  for (size_t i = 0; i < 2; ++i) {
    const char* index = name_in(folder, names[i]);
    if (i == 1 && !HAS_SVS) {
      expect_failure(embd_index_file(vectors, index, EMBD_METRIC_L2SQ, &error), EMBD_BAD_INPUT,
                     "this build of embd has no");
      continue;
    }
    expect_good(embd_index_file(vectors, index, EMBD_METRIC_L2SQ, &error));
    embd_searcher* searcher = NULL;
    expect_good(embd_searcher_open(index, NULL, &searcher, &error));
    EXPECT(embd_searcher_metric(searcher) == EMBD_METRIC_L2SQ);
    const float far[axes] = {0, 0, 0, 3};
    embd_queries* queries = NULL;
    expect_good(embd_queries_from_vectors(searcher, far, 1, axes, &queries, &error));
    embd_row_hit hits[2];
    size_t found = 0;
    expect_good(embd_searcher_search(searcher, queries, 2, NULL, NULL, hits, &found, &error));
    EXPECT(found == 2 && hits[0].row == 3 && hits[0].distance == 4 && hits[1].distance == 10);
    embd_queries_free(queries);
    embd_searcher_free(searcher);
    embd_searcher_options options = EMBD_SEARCHER_OPTIONS_INIT;
    options.metric = EMBD_METRIC_COS;
    expect_failure(embd_searcher_open(index, &options, &searcher, &error), EMBD_BAD_ARGUMENT,
                   "l2sq");
    options.metric = 99;
    expect_failure(embd_searcher_open(index, &options, &searcher, &error), EMBD_BAD_ARGUMENT,
                   "metric");
  }
  expect_failure(embd_index_file(vectors, name_in(folder, "x.usearch"), 99, &error),
                 EMBD_BAD_ARGUMENT, "metric");
}

static void check_queries(const embd_model* model, const char* folder) {
  step = "queries";
  const char* file = name_in(folder, "c_api_axes.npy");
  embd_searcher *searcher = NULL, *other = NULL;
  embd_queries* queries = NULL;
  expect_good(embd_searcher_open(file, NULL, &searcher, &error));
  expect_good(embd_searcher_open(file, NULL, &other, &error));
  expect_good(embd_queries_from_file(searcher, file, 0, &queries, &error));
  EXPECT(embd_queries_size(queries) == axes);
  embd_row_hit hits[axes * axes];
  size_t found[axes];
  expect_good(embd_searcher_search(searcher, queries, axes, NULL, NULL, hits, found, &error));
  for (size_t i = 0; i < axes; ++i) EXPECT(found[i] == axes && hits[i * axes].row == i);
  expect_failure(embd_searcher_search(other, queries, 1, NULL, NULL, hits, found, &error),
                 EMBD_BAD_ARGUMENT, "another");

  const char* allowed[] = {"20", "40", "none"};
  embd_filter *some = NULL, *none = NULL;
  expect_good(embd_filter_create(searcher, allowed, 3, &some, &error));
  expect_good(embd_filter_create(searcher, NULL, 0, &none, &error));
  EXPECT(embd_filter_size(some) == 2 && embd_filter_size(none) == 0);
  expect_good(embd_searcher_search(searcher, queries, axes, NULL, some, hits, found, &error));
  EXPECT(found[0] == 2 && hits[0].row == 1 && hits[1].row == 3);
  expect_good(embd_searcher_search(searcher, queries, axes, NULL, none, hits, found, &error));
  EXPECT(found[0] == 0 && found[3] == 0);
  expect_failure(embd_searcher_search(other, queries, 1, NULL, some, hits, found, &error),
                 EMBD_BAD_ARGUMENT, "another");
  embd_filter_free(some);
  embd_filter_free(none);
  embd_filter_free(NULL);
  embd_queries_free(queries);
  embd_queries_free(NULL);

  expect_failure(embd_queries_from_vectors(searcher, axis_rows, 1, 3, &queries, &error),
                 EMBD_BAD_ARGUMENT, "3 values");
  expect_failure(embd_queries_from_texts(searcher, model, texts, 1, NULL, &queries, &error),
                 EMBD_BAD_ARGUMENT, "values");
  const uint8_t bits[1] = {0x80};
  expect_failure(embd_queries_from_bits(searcher, bits, 1, 1, &queries, &error), EMBD_BAD_ARGUMENT,
                 "bits");
  embd_searcher_free(searcher);
  embd_searcher_free(other);
}

/* Codes of int8 and bits: queries of floats are coded as the rows are. */
static void check_codes(const embd_model* model, const char* folder) {
  step = "codes";
  char input[4096];
  FILE* file = create_input(folder, "c_api_codes.txt", input);
  for (int i = 0; i < 20; ++i) fprintf(file, "%s %d\n", i % 3 ? "a cat" : "words", i * i);
  fclose(file);
  const int types[] = {EMBD_OUTPUT_INT8, EMBD_OUTPUT_BINARY};
  const size_t dim = embd_model_dim(model);
  for (size_t i = 0; i < 2; ++i) {
    const char* outputs[] = {name_in(folder, "c_api_codes.npy")};
    embd_embed_options options = EMBD_EMBED_OPTIONS_INIT;
    options.output_type = types[i];
    expect_good(embd_embed_file(model, input, outputs, 1, &options, NULL, &error));
    embd_searcher* searcher = NULL;
    embd_queries *of_texts = NULL, *of_vectors = NULL;
    expect_good(embd_searcher_open(outputs[0], NULL, &searcher, &error));
    EXPECT(embd_searcher_dim(searcher) == dim);
    expect_good(embd_queries_from_texts(searcher, model, texts, 2, NULL, &of_texts, &error));
    expect_good(embd_encode(model, texts, 2, NULL, rows, 2 * dim, NULL, &error));
    expect_good(embd_queries_from_vectors(searcher, rows, 2, dim, &of_vectors, &error));
    embd_row_hit hits[2 * 3], again[2 * 3];
    size_t found[2];
    expect_good(embd_searcher_search(searcher, of_texts, 3, NULL, NULL, hits, found, &error));
    expect_good(embd_searcher_search(searcher, of_vectors, 3, NULL, NULL, again, found, &error));
    for (size_t n = 0; n < 6; ++n)
      EXPECT(hits[n].row == again[n].row && hits[n].distance == again[n].distance);
    expect_good(
        embd_searcher_search_texts(searcher, model, texts, 2, NULL, 3, NULL, again, found, &error));
    EXPECT(hits[4].row == again[4].row);
    embd_queries_free(of_texts);
    embd_queries_free(of_vectors);
    embd_searcher_free(searcher);
  }
  remove(input);
}

static void check_lock(const char* model, const char* folder) {
  step = "lock";
  const char* lock = name_in(folder, "c_api.lock");
  size_t num_probes = 0, num_differing = 99;
  expect_good(embd_lock_model(model, lock, &error));
  expect_good(embd_check_lock(lock, NULL, &num_probes, &num_differing, &error));
  EXPECT(num_probes > 0 && num_differing == 0);
  expect_good(embd_check_lock(lock, model, &num_probes, &num_differing, &error));
  EXPECT(num_differing == 0);
  expect_failure(embd_check_lock(lock, "missing.weights", &num_probes, &num_differing, &error),
                 EMBD_IO_FAILED, "missing.weights");
  expect_failure(embd_check_lock(model, NULL, &num_probes, &num_differing, &error), EMBD_BAD_INPUT,
                 "");
  expect_failure(embd_lock_model(NULL, lock, &error), EMBD_BAD_ARGUMENT, "NULL");
}

static void check_file_of_pairs(const embd_reranker* reranker, const char* folder) {
  step = "a file of pairs";
  char input[4096], lines[4096], table[4096];
  snprintf(lines, sizeof lines, "%s/c_api_scores.jsonl", folder);
  snprintf(table, sizeof table, "%s/c_api_scores.parquet", folder);
  FILE* file = create_input(folder, "c_api_pairs.csv", input);
  fputs("question,text\nhow much,a ticket\na,b\n", file);
  fclose(file);
  const char* outputs[] = {lines, table};
  embd_score_pairs_options options = EMBD_SCORE_PAIRS_OPTIONS_INIT;
  expect_failure(embd_score_pairs_file(reranker, input, outputs, 2, &options, NULL, &error),
                 EMBD_BAD_INPUT, "query");
  options.query_field = "question";
  options.resume = 1;
  options.progress = take_progress;
  options.user = &progress_rows;
  embd_embed_report report;
  expect_good(embd_score_pairs_file(reranker, input, outputs, 2, &options, &report, &error));
  EXPECT(report.rows == 2 && report.resumed_rows == 0 && progress_rows == 2);
  const char* joined[] = {table};
  char converted[4096];
  snprintf(converted, sizeof converted, "%s/c_api_scores_again.jsonl", folder);
  expect_good(embd_convert(joined, 1, converted, &error));
  for (size_t i = 0; i < 2; ++i) remove(outputs[i]);
  remove(converted);
  remove(input);
  expect_failure(embd_score_pairs_file(NULL, input, outputs, 2, &options, NULL, &error),
                 EMBD_BAD_ARGUMENT, "NULL");
}

static void check_reranker(const char* other_model, const char* path, const char* folder) {
  step = "reranker";
  embd_reranker* reranker = NULL;
  expect_failure(embd_reranker_open(other_model, NULL, &reranker, &error), EMBD_BAD_INPUT,
                 "sentence embedding model");
  EXPECT(reranker == NULL);
  expect_failure(embd_reranker_open(NULL, NULL, &reranker, &error), EMBD_BAD_ARGUMENT, "NULL");
  expect_good(embd_reranker_open(path, NULL, &reranker, &error));
  EXPECT(strcmp(embd_reranker_name(reranker), "cross_encoder") == 0);
  EXPECT(embd_reranker_max_length(reranker) == 48);
  EXPECT(embd_reranker_num_labels(reranker) == 1);
  EXPECT(strcmp(embd_reranker_label(reranker, 0), "LABEL_0") == 0);
  EXPECT(embd_reranker_label(reranker, 1) == NULL);

  const embd_text query = {"how much", 8};
  const embd_text_pair pairs[count] = {{query, texts[0]}, {query, texts[1]}, {query, texts[2]}};
  float logits[count];
  float scores[count];
  expect_good(
      embd_reranker_score(reranker, pairs, count, NULL, logits, scores, count, reports, &error));
  for (size_t i = 0; i < count; ++i) {
    EXPECT(fabsf(scores[i] - 1 / (1 + expf(-logits[i]))) < 1e-6F);
    EXPECT(reports[i].tokens >= 3 && !reports[i].truncated);
  }
  expect_good(embd_reranker_score(reranker, pairs, count, NULL, NULL, NULL, 0, NULL, &error));
  expect_failure(embd_reranker_score(reranker, pairs, count, NULL, logits, scores, 1, NULL, &error),
                 EMBD_BAD_ARGUMENT, "out_size");
  embd_score_options options = EMBD_SCORE_OPTIONS_INIT;
  options.activation = EMBD_ACTIVATION_IDENTITY;
  options.threads = 1;
  expect_good(
      embd_reranker_score(reranker, pairs, count, &options, NULL, scores, count, NULL, &error));
  EXPECT(memcmp(logits, scores, sizeof logits) == 0);

  embd_ranked_document ranking[count];
  size_t found = 0;
  expect_good(
      embd_reranker_rank(reranker, query, texts, count, 2, &options, ranking, &found, &error));
  EXPECT(found == 2 && ranking[0].logit >= ranking[1].logit);
  EXPECT(ranking[0].logit == logits[ranking[0].index]);
  EXPECT(ranking[0].score == ranking[0].logit);
  expect_good(embd_reranker_rank(reranker, query, NULL, 0, 0, NULL, NULL, &found, &error));
  EXPECT(found == 0);
  options.activation = 7;
  expect_failure(
      embd_reranker_rank(reranker, query, texts, count, 2, &options, ranking, &found, &error),
      EMBD_BAD_ARGUMENT, "activation");
  check_file_of_pairs(reranker, folder);
  embd_reranker_free(reranker);
  embd_reranker_free(NULL);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  embd_model* model = NULL;
  EXPECT(strchr(embd_version(), '.') != NULL);
  expect_good(embd_model_open(argv[1], NULL, &model, &error));
  const size_t dim = embd_model_dim(model);
  EXPECT(dim > 1 && dim <= most_components);
  EXPECT(embd_model_max_length(model) > 2 && *embd_model_name(model) != '\0');
  EXPECT(*embd_model_instruction_set(model) != '\0');
  check_encode(model, dim);
  check_errors(model);
  check_tokenize(model);
  check_ids(model);
  check_numbers(model);
  check_prompts(model);
  check_index(dim, argv[2]);
  check_write(model, dim, argv[2]);
  check_enums(argv[1]);
  check_several_inputs(model, argv[2]);
  check_terms(model, argv[2]);
  check_collect(model, argv[2]);
  check_jobs(model, argv[2]);
  check_token_ids_job(model, argv[2]);
  check_empty_texts(model, argv[2]);
  check_cancellation(model, argv[2]);
  check_convert(argv[2]);
  check_index_file(argv[2]);
  check_analysis();
  check_queries(model, argv[2]);
  check_codes(model, argv[2]);
  check_lock(argv[1], argv[2]);
  embd_model_free(model);
  check_reranker(argv[1], argv[3], argv[2]);
  return 0;
}
