/** @file
 * The search of files of vectors in the C interface of embd. embd.h includes it.
 */
#ifndef EMBD_SEARCH_H
#define EMBD_SEARCH_H

#include <embd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- search of any file of vectors, with vectors or with texts ---- */

/** A row that a searcher found. */
typedef struct embd_row_hit {
  uint64_t row;   /**< its number in the searched set */
  float distance; /**< smaller is nearer */
} embd_row_hit;

/** Options for opening a searcher. */
typedef struct embd_searcher_options {
  size_t size;
  /** An embd_metric. If the file names its own, only that one or EMBD_METRIC_OF_FILE. */
  int metric;
  int in_memory; /**< not 0: read indexes into memory instead of mapping their files */
  /** Not 0: read what filters need when opening, instead of when the first filter is made. */
  int filters;
  int force; /**< not 0: accept shards whose recipes differ */
  /** The term index (OUT.terms) of the texts of the rows, for searches by terms; NULL for none. */
  const char* terms;
} embd_searcher_options;
#define EMBD_SEARCHER_OPTIONS_INIT \
  {sizeof(embd_searcher_options), EMBD_METRIC_OF_FILE, 0, 0, 0, NULL}

/** Opens an index, or a vector set of any format, which is then searched by comparing every row.
 * Any number of threads may use a searcher at the same time. Replacing the file on disk does not
 * affect an open searcher. */
EMBD_API embd_status embd_searcher_open(const char* path, const embd_searcher_options* options,
                                        embd_searcher** searcher, embd_error** error);
/** Opens several indexes or vector sets as one set: the rows of all shards, one after the other. */
EMBD_API embd_status embd_searcher_open_shards(const char* const* paths, size_t num_paths,
                                               const embd_searcher_options* options,
                                               embd_searcher** searcher, embd_error** error);
EMBD_API void embd_searcher_free(embd_searcher* searcher);
EMBD_API uint64_t embd_searcher_size(const embd_searcher* searcher); /**< the number of rows */
/** Returns the number of values of a query vector, before it is converted to codes. */
EMBD_API uint64_t embd_searcher_dim(const embd_searcher* searcher);
EMBD_API int embd_searcher_metric(const embd_searcher* searcher); /**< an embd_metric */
/** Writes the id of a row as text into `text` [capacity], ending in NUL and cut to fit. Returns the
 * length of the whole id; 0 for a row that does not exist. */
EMBD_API size_t embd_searcher_id(const embd_searcher* searcher, uint64_t row, char* text,
                                 size_t capacity);

/** Writes the values of a row in all columns as a JSON object into `text` [capacity], ending in NUL
 * and cut to fit. Returns the length of the whole object; 0 for a row that does not exist and for
 * rows without columns. */
EMBD_API size_t embd_searcher_columns(const embd_searcher* searcher, uint64_t row, char* text,
                                      size_t capacity);

/** Queries in the form in which a searcher compares them with its rows: int8 codes, binary codes,
 * or plain values. Only the searcher that made them takes them. They may be freed after the
 * searcher. */
typedef struct embd_queries embd_queries;

/** Options for encoding texts as queries. */
typedef struct embd_query_options {
  size_t size;
  /** The text put before every query; "" for none, NULL for the model's prompt named "query". */
  const char* prompt;
  const char* prompt_name; /**< a name among the model's prompts, instead of `prompt`; or NULL */
  int threads;             /**< number of threads; 0 for as many as CPU affinity and cgroup allow */
  /** Not 0: encode queries even if the rows were made with another model or other options. */
  int force;
} embd_query_options;
#define EMBD_QUERY_OPTIONS_INIT {sizeof(embd_query_options), NULL, NULL, 0, 0}

/** Encodes texts as queries with the options that the rows' recipe names, except for the prompt. */
EMBD_API embd_status embd_queries_from_texts(const embd_searcher* searcher, const embd_model* model,
                                             const embd_text* texts, size_t count,
                                             const embd_query_options* options,
                                             embd_queries** queries, embd_error** error);
/** Makes queries of vectors [count, dim] as a model returns them; codes if the rows are codes. */
EMBD_API embd_status embd_queries_from_vectors(const embd_searcher* searcher, const float* vectors,
                                               size_t count, size_t dim, embd_queries** queries,
                                               embd_error** error);
/** Makes queries of packed bits [count, row_bytes], if the rows are bits or binary codes. A byte
 * holds eight values, the first in its highest bit. */
EMBD_API embd_status embd_queries_from_bits(const embd_searcher* searcher, const uint8_t* bits,
                                            size_t count, size_t row_bytes, embd_queries** queries,
                                            embd_error** error);
/** Makes queries of all rows of a file: vectors, codes of the same kind as the rows, or packed
 * bits. If `force` is not 0, a file made with another model than the rows is accepted. */
EMBD_API embd_status embd_queries_from_file(const embd_searcher* searcher, const char* path,
                                            int force, embd_queries** queries, embd_error** error);
/** Makes queries of the terms of texts [count], without vectors, for a searcher with a term index.
 * `model` may be NULL, unless the terms of the index are tokens of a model. */
EMBD_API embd_status embd_queries_from_terms(const embd_searcher* searcher, const embd_model* model,
                                             const embd_text* texts, size_t count,
                                             embd_queries** queries, embd_error** error);
/** Adds the terms of texts to queries of vectors, for embd_searcher_search_both. `count` must be
 * embd_queries_size(). `model` is as for embd_queries_from_terms. embd_queries_from_texts adds the
 * terms itself. */
EMBD_API embd_status embd_queries_add_terms(const embd_searcher* searcher, const embd_model* model,
                                            const embd_text* texts, size_t count,
                                            embd_queries* queries, embd_error** error);
EMBD_API void embd_queries_free(embd_queries* queries);
/** Returns the number of queries. */
EMBD_API size_t embd_queries_size(const embd_queries* queries);

/** A filter: the rows that a search may return. Only the searcher that made a filter takes it. */
typedef struct embd_filter embd_filter;

/** Makes a filter of the rows whose id is one of `ids` [count], written as by embd_searcher_id. A
 * count of 0 gives a filter that no row passes. */
EMBD_API embd_status embd_filter_create(const embd_searcher* searcher, const char* const* ids,
                                        size_t count, embd_filter** filter, embd_error** error);
/** A relation of the value of a row to the value of a condition. */
typedef enum embd_relation {
  EMBD_EQUAL,
  EMBD_NOT_EQUAL,
  EMBD_LESS,
  EMBD_LESS_EQUAL,
  EMBD_GREATER,
  EMBD_GREATER_EQUAL
} embd_relation;

/** A condition on the value that a row has in a column. The value of the row decides how it is
 * compared: a text byte by byte with `value`, a number with the number that `value` spells in JSON,
 * such as `1` or `2e3`. Other values (`true`, `false`, `null`) equal their spelling in JSON, and
 * have no order. */
typedef struct embd_column_value {
  const char* column;
  const char* value;
  int relation; /**< an embd_relation of the row's value to `value` */
} embd_column_value;

/** Makes a filter of the rows that meet all conditions: their id is one of `ids` [num_ids], where
 * NULL allows every id; and they meet all conditions of `values` [num_values], but of several
 * conditions EMBD_EQUAL on one column they must meet only one. */
EMBD_API embd_status embd_filter_create_where(const embd_searcher* searcher, const char* const* ids,
                                              size_t num_ids, const embd_column_value* values,
                                              size_t num_values, embd_filter** filter,
                                              embd_error** error);
EMBD_API void embd_filter_free(embd_filter* filter);
EMBD_API uint64_t embd_filter_size(const embd_filter* filter); /**< the number of rows that pass */

/** Finds the `k` nearest rows of each query. Writes them into `hits` [queries, k], nearest first
 * for each query, and their numbers, which may be less than `k`, into `counts` [queries]. `filter`
 * restricts the rows that may be returned; NULL allows all. */
EMBD_API embd_status embd_searcher_search(const embd_searcher* searcher,
                                          const embd_queries* queries, size_t k,
                                          const embd_search_options* options,
                                          const embd_filter* filter, embd_row_hit* hits,
                                          size_t* counts, embd_error** error);
/** A row that a search for terms found. */
typedef struct embd_term_hit {
  uint64_t row; /**< its number in the searched set */
  float score;  /**< its BM25 score, above 0; larger is better */
} embd_term_hit;
/** Finds the `k` rows with the best term scores for each query, best first. Rows without a term of
 * the query are not found. The other arguments are as for embd_searcher_search. */
EMBD_API embd_status embd_searcher_search_terms(const embd_searcher* searcher,
                                                const embd_queries* queries, size_t k,
                                                const embd_filter* filter, embd_term_hit* hits,
                                                size_t* counts, embd_error** error);
/** A row that a search by vectors and terms found. */
typedef struct embd_fused_row {
  uint64_t row;     /**< its number in the searched set */
  float score;      /**< 0.6 of its vector, 0.4 of its terms; from 0 to 1, larger is better */
  float distance;   /**< of its vector to the query's; smaller is nearer */
  float term_score; /**< the BM25 score of its text; 0 if it has no term of the query */
} embd_fused_row;
/** Finds the `k` best rows of each query by its vector and by its terms, best first
 * (docs/search.md). The other arguments are as for embd_searcher_search. */
EMBD_API embd_status embd_searcher_search_both(const embd_searcher* searcher,
                                               const embd_queries* queries, size_t k,
                                               const embd_search_options* options,
                                               const embd_filter* filter, embd_fused_row* rows,
                                               size_t* counts, embd_error** error);
/** Encodes texts as queries and searches all rows with them: embd_queries_from_texts and
 * embd_searcher_search in one call. `prompt` is put before each text; NULL for the model's prompt
 * named "query". */
EMBD_API embd_status embd_searcher_search_texts(const embd_searcher* searcher,
                                                const embd_model* model, const embd_text* texts,
                                                size_t count, const char* prompt, size_t k,
                                                const embd_search_options* options,
                                                embd_row_hit* hits, size_t* counts,
                                                embd_error** error);

#ifdef __cplusplus
}
#endif

#endif
