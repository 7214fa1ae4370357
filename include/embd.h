/** @file
 * embd for C and for everything that can call C: libembd_c (pkg-config: embd_c).
 *
 * Handles are opaque and belong to whoever got them from a function that opens or builds; each has
 * its free function, which accepts NULL. A model and an index may be used by any number of threads
 * at once; the exceptions say so. Strings are UTF-8; paths are bytes of the system.
 *
 * A function that can fail returns an embd_status and, if it is not EMBD_OK and `error` is not
 * NULL, puts a new embd_error in *error, which the caller frees. No handle is made then. If there
 * is no memory for the message, *error is NULL.
 *
 * Structures of options begin with their size, so that a program built against an older header
 * works with a newer library: set them with their INIT macro. Where an enum is meant, they and the
 * functions take an int; a number that is none of the enum's is EMBD_BAD_ARGUMENT.
 */
#ifndef EMBD_H
#define EMBD_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define EMBD_API __attribute__((visibility("default")))
#else
#define EMBD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct embd_error embd_error;
typedef struct embd_model embd_model;
typedef struct embd_index embd_index;
typedef struct embd_searcher embd_searcher;
typedef struct embd_reranker embd_reranker;

/** Who has to act. The numbers are those the program `embd` exits with. */
typedef enum embd_status {
  EMBD_OK = 0,
  EMBD_BAD_ARGUMENT = 2,    /**< the caller: an option or size outside what is allowed */
  EMBD_BAD_INPUT = 3,       /**< a file or text is not what it should be */
  EMBD_RECIPE_MISMATCH = 4, /**< vectors that cannot be compared */
  EMBD_IO_FAILED = 6,       /**< the system: files, memory */
  EMBD_CANCELLED = 130      /**< stopped by the caller */
} embd_status;

EMBD_API const char* embd_version(void); /**< "0.1.0"; static */

/** One line that names the file, the place and what was expected; lives as long as the error. */
EMBD_API const char* embd_error_message(const embd_error* error);
EMBD_API void embd_error_free(embd_error* error);

/* ---- model ---- */

typedef enum embd_compute { EMBD_COMPUTE_F32, EMBD_COMPUTE_BF16, EMBD_COMPUTE_INT8 } embd_compute;

typedef struct embd_load_options {
  size_t size;
  const char* vocab; /**< vocab.txt or tokenizer.json for a file without its own; or NULL */
  int verify;        /**< not 0: check the checksums over the whole file */
  int compute;       /**< an embd_compute: arithmetic of the weight matrices */
} embd_load_options;
#define EMBD_LOAD_OPTIONS_INIT {sizeof(embd_load_options), NULL, 0, EMBD_COMPUTE_F32}

typedef enum embd_pooling {
  EMBD_POOLING_OF_MODEL = -1,
  EMBD_POOLING_MEAN,
  EMBD_POOLING_CLS,
  EMBD_POOLING_MAX
} embd_pooling;

/** Which end of a text that is longer than max_length is cut off. */
typedef enum embd_truncation_side {
  EMBD_TRUNCATION_OF_MODEL = -1,
  EMBD_TRUNCATION_RIGHT,
  EMBD_TRUNCATION_LEFT
} embd_truncation_side;

typedef struct embd_encode_options {
  size_t size;
  const char* prompt;    /**< put before every text, "" for none; NULL: the model's own */
  uint32_t max_length;   /**< tokens a text is cut to, both special ones counted; 0: the model's */
  uint32_t truncate_dim; /**< leading components kept; 0: all */
  int pooling;           /**< an embd_pooling */
  int normalize;         /**< 1, 0; -1: the model's */
  int threads;           /**< busy threads; 0: what affinity and the cgroup allow */
  const char* prompt_name; /**< one of the model's prompts instead of `prompt`; or NULL */
  int truncation_side;     /**< an embd_truncation_side */
} embd_encode_options;
#define EMBD_ENCODE_OPTIONS_INIT                                                \
  {sizeof(embd_encode_options), NULL, 0, 0, EMBD_POOLING_OF_MODEL, -1, 0, NULL, \
   EMBD_TRUNCATION_OF_MODEL}

/** A text: `size` bytes, not terminated. Malformed UTF-8 is replaced. */
typedef struct embd_text {
  const char* data;
  size_t size;
} embd_text;

/** What became of a text. */
typedef struct embd_row_report {
  uint32_t tokens; /**< of the whole text, both special ones counted, before any cut */
  int truncated;
} embd_row_report;

/** Token ids of a text: `size` of them. */
typedef struct embd_token_ids {
  const int32_t* data;
  size_t size;
} embd_token_ids;

/** Bytes [begin, end) of a text. */
typedef struct embd_byte_range {
  size_t begin;
  size_t end;
} embd_byte_range;

/** Maps an EMBD weight file, which must not be changed in place while the model lives, or converts
 * a Hugging Face folder in memory. `options` may be NULL, here and everywhere below. */
EMBD_API embd_status embd_model_open(const char* path, const embd_load_options* options,
                                     embd_model** model, embd_error** error);
EMBD_API void embd_model_free(embd_model* model);
EMBD_API uint32_t embd_model_dim(const embd_model* model);
EMBD_API uint32_t embd_model_max_length(const embd_model* model);
EMBD_API const char* embd_model_name(const embd_model* model); /**< lives with the model */
EMBD_API const char* embd_model_instruction_set(const embd_model* model); /**< static */

/** The prompts that the model's configuration names, by their number from 0; "query" and "document"
 * are always among them. NULL behind the last one. They live with the model. */
EMBD_API const char* embd_model_prompt_name(const embd_model* model, size_t index);
EMBD_API const char* embd_model_prompt_text(const embd_model* model, size_t index);

/** One row a text into `out` [count, dim], `out_size` its number of floats, where dim is the
 * model's or truncate_dim. A text's row is the same whatever else is in the batch and with any
 * number of threads. `reports`: NULL or [count]. */
EMBD_API embd_status embd_encode(const embd_model* model, const embd_text* texts, size_t count,
                                 const embd_encode_options* options, float* out, size_t out_size,
                                 embd_row_report* reports, embd_error** error);

/** Token ids, [CLS] … [SEP], cut to max_length as embd_encode does. *count is their number; if it
 * is more than `capacity`, the first `capacity` are written. `ids` may be NULL for a capacity of 0.
 */
EMBD_API embd_status embd_tokenize(const embd_model* model, embd_text text,
                                   const embd_encode_options* options, int32_t* ids,
                                   size_t capacity, size_t* count, embd_error** error);

/** The same with each token's place in the text in `ranges` [capacity]: empty, at 0, for [CLS],
 * [SEP] and tokens of the prompt alone. */
EMBD_API embd_status embd_tokenize_ranges(const embd_model* model, embd_text text,
                                          const embd_encode_options* options, int32_t* ids,
                                          embd_byte_range* ranges, size_t capacity, size_t* count,
                                          embd_error** error);

/** embd_encode of texts that are token ids already, each as embd_tokenize gives them, [CLS] and
 * [SEP] included; of those that are cut, the first and the last id stay. The options for texts
 * (prompts) are to be left as they are. */
EMBD_API embd_status embd_encode_ids(const embd_model* model, const embd_token_ids* texts,
                                     size_t count, const embd_encode_options* options, float* out,
                                     size_t out_size, embd_row_report* reports, embd_error** error);

/** Writes rows [count, dim] as a file of vectors: CVC, finalfusion, SVS, USearch, NumPy, … by the
 * extension of `path`. It appears when it is whole. `ids`: NULL or [count]. With a model the file
 * says how its rows were made: with that model and `options`. */
EMBD_API embd_status embd_write_vectors(const char* path, const float* rows, size_t count,
                                        size_t dim, const uint64_t* ids, const embd_model* model,
                                        const embd_encode_options* options, embd_error** error);

/* ---- reranker ---- */

/** What makes a score of a logit. */
typedef enum embd_activation {
  EMBD_ACTIVATION_OF_MODEL = -1,
  EMBD_ACTIVATION_IDENTITY, /**< a score is its logit */
  EMBD_ACTIVATION_SIGMOID   /**< 1 / (1 + exp(-logit)), from 0 to 1 */
} embd_activation;

typedef struct embd_score_options {
  size_t size;
  const char* prompt; /**< put before the first text of a pair, "" for none; NULL: the model's */
  const char* prompt_name; /**< one of the model's prompts instead of `prompt`; or NULL */
  uint32_t max_length;     /**< tokens a pair is cut to, special ones counted; 0: the model's */
  int truncation_side;     /**< an embd_truncation_side: which end of each text is cut off */
  int activation;          /**< an embd_activation */
  int threads;             /**< busy threads; 0: what affinity and the cgroup allow */
} embd_score_options;
#define EMBD_SCORE_OPTIONS_INIT \
  {sizeof(embd_score_options), NULL, NULL, 0, EMBD_TRUNCATION_OF_MODEL, EMBD_ACTIVATION_OF_MODEL, 0}

/** Two texts that a model reads together, such as a query and a document. */
typedef struct embd_text_pair {
  embd_text first;
  embd_text second;
} embd_text_pair;

/** A document of a ranking. */
typedef struct embd_ranked_document {
  size_t index; /**< its place among the documents that were given */
  float score;
  float logit;
} embd_ranked_document;

/** Opens a cross-encoder, a weight file or a Hugging Face folder, as embd_model_open() opens a
 * sentence embedding model. Any number of threads may use one reranker. */
EMBD_API embd_status embd_reranker_open(const char* path, const embd_load_options* options,
                                        embd_reranker** reranker, embd_error** error);
EMBD_API void embd_reranker_free(embd_reranker* reranker);
EMBD_API const char* embd_reranker_name(const embd_reranker* reranker); /**< lives with it */
EMBD_API uint32_t embd_reranker_max_length(const embd_reranker* reranker);
/** The logits of a pair, at least one, and the name of each, from 0; NULL behind the last one. The
 * names live with the reranker. */
EMBD_API size_t embd_reranker_num_labels(const embd_reranker* reranker);
EMBD_API const char* embd_reranker_label(const embd_reranker* reranker, size_t index);

/** Scores pairs, in their order. `logits` and `scores`: NULL or [count, labels], `out_size` floats
 * each; `reports`: NULL or [count]. A pair's scores are the same whatever else is in the batch and
 * with any number of threads. */
EMBD_API embd_status embd_reranker_score(const embd_reranker* reranker, const embd_text_pair* pairs,
                                         size_t count, const embd_score_options* options,
                                         float* logits, float* scores, size_t out_size,
                                         embd_row_report* reports, embd_error** error);

/** Ranks documents for a query by their logits, best first; of equal ones the earlier document
 * first. `ranking` [k] gets the best `k`, fewer if there are fewer, and `*found` their number. The
 * model must have one label. */
EMBD_API embd_status embd_reranker_rank(const embd_reranker* reranker, embd_text query,
                                        const embd_text* documents, size_t count, size_t k,
                                        const embd_score_options* options,
                                        embd_ranked_document* ranking, size_t* found,
                                        embd_error** error);

/* ---- index ---- */

typedef enum embd_metric {
  EMBD_METRIC_OF_FILE = -1, /**< what a file says; where it does not, cos, or hamming for bits */
  EMBD_METRIC_COS,
  EMBD_METRIC_IP,
  EMBD_METRIC_L2SQ,
  EMBD_METRIC_PEARSON,
  EMBD_METRIC_HAVERSINE,
  EMBD_METRIC_DIVERGENCE,
  EMBD_METRIC_HAMMING,
  EMBD_METRIC_TANIMOTO,
  EMBD_METRIC_SORENSEN,
  EMBD_METRIC_JACCARD
} embd_metric;

typedef struct embd_hit {
  uint64_t id;
  float distance; /**< smaller is nearer, for every metric */
} embd_hit;

typedef struct embd_search_options {
  size_t size;
  uint32_t expansion; /**< HNSW: candidates kept during the walk; 0: 64 */
  int exact;          /**< not 0: compare with every row */
  uint32_t window;    /**< Vamana: candidates kept during the walk; 0: as `expansion` has it */
  uint32_t capacity;  /**< Vamana: of them, kept for the final choice; 0: the window */
  int threads;        /**< 0: what affinity and the cgroup allow */
} embd_search_options;
#define EMBD_SEARCH_OPTIONS_INIT {sizeof(embd_search_options), 0, 0, 0, 0, 0}

/** A USearch file or SVS directory, read whole. `metric`, an embd_metric, is for SVS directories of
 * other makers, which do not say; another than a file says is an error. An index of int8 codes is
 * EMBD_BAD_INPUT: embd_searcher_open takes it.
 */
EMBD_API embd_status embd_index_open(const char* path, int metric, embd_index** index,
                                     embd_error** error);
/** A HNSW graph over rows [count, dim]. `ids`: NULL (0, 1, 2 …) or [count]; `threads` as above. The
 * same graph with any number of threads. */
EMBD_API embd_status embd_index_build(const float* rows, size_t count, size_t dim,
                                      const uint64_t* ids, int metric, int threads,
                                      embd_index** index, embd_error** error);
EMBD_API embd_status embd_index_save(const embd_index* index, const char* path, embd_error** error);
EMBD_API void embd_index_free(embd_index* index);
EMBD_API uint64_t embd_index_size(const embd_index* index);
EMBD_API uint64_t embd_index_dim(const embd_index* index);

/** The nearest `k` rows of `query` [dim], nearest first, into `hits` [k]. *count: how many there
 * were. */
EMBD_API embd_status embd_index_search(const embd_index* index, const float* query, size_t dim,
                                       size_t k, const embd_search_options* options, embd_hit* hits,
                                       size_t* count, embd_error** error);

/** The same for a query of packed bits, eight values a byte, the first in the highest bit. Its
 * `row_bytes` are those of a row of the index, whose rows are bits. */
EMBD_API embd_status embd_index_search_bits(const embd_index* index, const uint8_t* query,
                                            size_t row_bytes, size_t k,
                                            const embd_search_options* options, embd_hit* hits,
                                            size_t* count, embd_error** error);

/* ---- whole jobs ---- */

/** How far a job is. */
typedef struct embd_progress {
  uint64_t rows;   /**< finished, those of interrupted runs included */
  uint64_t tokens; /**< of the texts that this run finished */
  double seconds;  /**< since it began to embed */
  double share;    /**< of the input that is finished, 0 to 1; negative where that is not known */
} embd_progress;

/** In what the values of vectors are stored. INT8 and BINARY are the codes of
 * sentence-transformers. */
typedef enum embd_output_type {
  EMBD_OUTPUT_AUTOMATIC, /**< the format's own */
  EMBD_OUTPUT_F32,
  EMBD_OUTPUT_F16,
  EMBD_OUTPUT_INT8,
  EMBD_OUTPUT_BINARY
} embd_output_type;

typedef struct embd_embed_options {
  size_t size;
  const embd_encode_options* encode; /**< or NULL */
  const char* text_field;    /**< jsonl, csv, tsv: field that holds the text; NULL: "text" */
  const char* id_field;      /**< field that holds the id of a row; NULL: no ids */
  const char* output_format; /**< NULL: by the extension of each output */
  int output_type;           /**< an embd_output_type */
  const char* row_report;    /**< file for a JSON line a row; NULL: none */
  int refuse_truncated;      /**< not 0: a text that would be cut is an error */
  int resume;  /**< not 0: keep finished rows in OUT.journal, and go on from it if it is there */
  int restart; /**< not 0: begin anew where that journal was made under other conditions */
  /** Called whenever rows are finished, from one thread at a time; not 0 ends the job with
   * EMBD_CANCELLED. Or NULL. */
  int (*progress)(void* user, const embd_progress* progress);
  void* user;                  /**< for `progress` */
  const char* token_ids_field; /**< jsonl: field that holds token ids instead of a text; or NULL */
  const char* encoding;     /**< of the input, a name that iconv knows ("latin-1"); NULL: UTF-8 */
  int replace_invalid_utf8; /**< not 0: bytes that are not of the encoding become U+FFFD;
                                 0: they are EMBD_INVALID_UTF8 */
  int skip_empty;           /**< not 0: texts that are empty or only white space are left out */
  char delimiter;           /**< csv: between the fields of a row; 0: a comma */
  /** Fields of the input that become columns of CVC, Parquet and JSON Lines files, each NAME for
   * numbers of the type int32, NAME:TYPE or NAME:text; [num_column_fields]. */
  const char* const* column_fields;
  size_t num_column_fields;
  int ids_from_file; /**< not 0: ids are the file's name and the line, "a.txt:12" */
} embd_embed_options;
#define EMBD_EMBED_OPTIONS_INIT \
  {sizeof(embd_embed_options),  \
   NULL,                        \
   NULL,                        \
   NULL,                        \
   NULL,                        \
   EMBD_OUTPUT_AUTOMATIC,       \
   NULL,                        \
   0,                           \
   0,                           \
   0,                           \
   NULL,                        \
   NULL,                        \
   NULL,                        \
   NULL,                        \
   0,                           \
   0,                           \
   0,                           \
   NULL,                        \
   0,                           \
   0}

typedef struct embd_embed_report {
  uint64_t rows;
  uint64_t resumed_rows; /**< of them, those that interrupted runs had made */
  uint64_t tokens;       /**< that went through the model in this run */
  uint64_t truncated_rows;
  double seconds;
} embd_embed_report;

/** Embeds the texts of a file (txt, jsonl, csv, tsv by its extension; "-" is standard input) into
 * `num_outputs` files of vectors in one pass. All outputs appear whole at the end, or none.
 * `report` may be NULL. */
EMBD_API embd_status embd_embed_file(const embd_model* model, const char* input,
                                     const char* const* outputs, size_t num_outputs,
                                     const embd_embed_options* options, embd_embed_report* report,
                                     embd_error** error);

/** Embeds the texts of several files, and of folders for their files of texts, in their order, as
 * embd_embed_file does for one. */
EMBD_API embd_status embd_embed_files(const embd_model* model, const char* const* inputs,
                                      size_t num_inputs, const char* const* outputs,
                                      size_t num_outputs, const embd_embed_options* options,
                                      embd_embed_report* report, embd_error** error);

typedef struct embd_score_pairs_options {
  size_t size;
  const embd_score_options* score; /**< or NULL */
  const char* query_field;         /**< that holds the first text of a pair; NULL: "query" */
  const char* text_field;          /**< that holds the second; NULL: "text" */
  /** The others are those of embd_embed_options. */
  const char* id_field;
  const char* output_format;
  const char* row_report;
  int refuse_truncated;
  int resume;
  int restart;
  int (*progress)(void* user, const embd_progress* progress);
  void* user;
  const char* encoding;
  int replace_invalid_utf8;
  int skip_empty;
  char delimiter;
} embd_score_pairs_options;
#define EMBD_SCORE_PAIRS_OPTIONS_INIT \
  {sizeof(embd_score_pairs_options),  \
   NULL,                              \
   NULL,                              \
   NULL,                              \
   NULL,                              \
   NULL,                              \
   NULL,                              \
   0,                                 \
   0,                                 \
   0,                                 \
   NULL,                              \
   NULL,                              \
   NULL,                              \
   0,                                 \
   0,                                 \
   0}

/** Scores the pairs of a file, one a record (jsonl, csv, tsv), into `num_outputs` files of scores,
 * JSON Lines or Parquet, in one pass. A row of `report`, which may be NULL, is a pair. */
EMBD_API embd_status embd_score_pairs_file(const embd_reranker* reranker, const char* input,
                                           const char* const* outputs, size_t num_outputs,
                                           const embd_score_pairs_options* options,
                                           embd_embed_report* report, embd_error** error);

typedef struct embd_verification {
  uint64_t num_rows;     /**< of the vectors */
  uint64_t num_expected; /**< rows that the texts make */
  uint64_t num_equal;    /**< rows checked whose values are all equal */
  double largest;        /**< difference of two values */
} embd_verification;

/** Embeds the texts again as the recipe of `vectors` says, and compares. `sample`: rows to check;
 * 0: all. */
EMBD_API embd_status embd_verify_file(const embd_model* model, const char* vectors,
                                      const char* texts, uint64_t sample, embd_verification* result,
                                      embd_error** error);

/** Writes a lock file: hashes of a model's vectors for a set of probe texts. */
EMBD_API embd_status embd_lock_model(const char* model, const char* lock, embd_error** error);
/** Embeds the probes of a lock file again; *num_differing of *num_probes have other vectors.
 * `model`: path, or NULL for the one that the lock names. */
EMBD_API embd_status embd_check_lock(const char* lock, const char* model, size_t* num_probes,
                                     size_t* num_differing, embd_error** error);

/** The rows of vector sets or indexes of any format, one after the other, as one file of the format
 * that the extension of `output` says. */
EMBD_API embd_status embd_convert(const char* const* inputs, size_t num_inputs, const char* output,
                                  embd_error** error);
/** A search index over a file of vectors: .usearch (HNSW), .svs (Vamana). `metric`: an embd_metric.
 */
EMBD_API embd_status embd_index_file(const char* vectors, const char* output, int metric,
                                     embd_error** error);

/* ---- what rows say of each other: near-duplicates, groups, places on a map ---- */

/** Near-duplicates among rows [num_rows, dim]: rows that lead to one another by pairs of a cosine
 * of `min_similarity` (-1 to 1) or more are a group. `representatives` [num_rows]: the first row of
 * each row's group, its own number for a row that is kept. `num_kept`: how many are; or NULL.
 * `threads`: 0 is what affinity and the cgroup allow; they change no result. Errors:
 * EMBD_BAD_ARGUMENT; EMBD_BAD_INPUT for a value that is not finite. */
EMBD_API embd_status embd_find_duplicates(const float* rows, size_t num_rows, size_t dim,
                                          double min_similarity, int threads,
                                          uint64_t* representatives, size_t* num_kept,
                                          embd_error** error);

typedef struct embd_cluster_options {
  size_t size;
  uint32_t k;           /**< k-means: how many groups; 0: as many as part best */
  uint64_t seed;        /**< k-means: which rows are drawn as first centers */
  int density;          /**< not 0: HDBSCAN, where rows lie densely, instead of k-means */
  uint32_t min_size;    /**< density: rows that a group has at least; 0: 10 */
  uint32_t min_samples; /**< density: the neighbour whose distance counts; 0: min_size */
  int threads;          /**< 0: what affinity and the cgroup allow */
} embd_cluster_options;
#define EMBD_CLUSTER_OPTIONS_INIT {sizeof(embd_cluster_options), 0, 0, 0, 0, 0, 0}

/** Groups rows [num_rows, dim] by their cosines. `groups` [num_rows]: the group of each row, from
 * the largest on; -1 for a row in none. `distances` [num_rows]: 1 - cosine to the group's center;
 * or NULL. `num_groups`: how many there are; or NULL. */
EMBD_API embd_status embd_cluster_rows(const float* rows, size_t num_rows, size_t dim,
                                       const embd_cluster_options* options, int32_t* groups,
                                       float* distances, size_t* num_groups, embd_error** error);

/** Lays rows [num_rows, dim] out on a plane, so that rows of a great cosine are near each other.
 * `neighbours`: nearest rows that a row is laid beside; 0: 15. `epochs`: steps; 0: 300. `threads`:
 * 0 is what affinity and the cgroup allow; they change no result. `places` [num_rows, 2]. Errors:
 * EMBD_BAD_ARGUMENT; EMBD_BAD_INPUT for a value that is not finite. */
EMBD_API embd_status embd_project(const float* rows, size_t num_rows, size_t dim,
                                  uint32_t neighbours, uint32_t epochs, int threads, float* places,
                                  embd_error** error);

/* ---- search of any file of vectors, with vectors or with texts ---- */

typedef struct embd_row_hit {
  uint64_t row;   /**< its number in the file */
  float distance; /**< smaller is nearer */
} embd_row_hit;

typedef struct embd_searcher_options {
  size_t size;
  int metric;    /**< an embd_metric: of a set of vectors, and of an index that does not say */
  int in_memory; /**< not 0: read an index into memory instead of mapping it */
  int filters;   /**< not 0: prepare for filters now, not at the first embd_filter_create */
  int force;     /**< not 0: go on where shards were made with other recipes */
} embd_searcher_options;
#define EMBD_SEARCHER_OPTIONS_INIT {sizeof(embd_searcher_options), EMBD_METRIC_OF_FILE, 0, 0, 0}

/** Opens an index or a set of vectors of any format, which is compared row by row. May be used by
 * any number of threads at once. The file may be replaced meanwhile, which changes nothing. */
EMBD_API embd_status embd_searcher_open(const char* path, const embd_searcher_options* options,
                                        embd_searcher** searcher, embd_error** error);
/** Opens several that are searched as one set, whose rows are those of the shards one after the
 * other. Its search gives the nearest of all. */
EMBD_API embd_status embd_searcher_open_shards(const char* const* paths, size_t num_paths,
                                               const embd_searcher_options* options,
                                               embd_searcher** searcher, embd_error** error);
EMBD_API void embd_searcher_free(embd_searcher* searcher);
EMBD_API uint64_t embd_searcher_size(const embd_searcher* searcher); /**< rows */
/** Values of a query before it is coded. */
EMBD_API uint64_t embd_searcher_dim(const embd_searcher* searcher);
EMBD_API int embd_searcher_metric(const embd_searcher* searcher); /**< an embd_metric */
/** The id of a row as text, terminated, cut to `capacity` bytes. Returns its length uncut; 0 for a
 * row that is not there. */
EMBD_API size_t embd_searcher_id(const embd_searcher* searcher, uint64_t row, char* text,
                                 size_t capacity);

/** The values of a row in all columns as a JSON object, terminated, cut to `capacity` bytes.
 * Returns its length uncut; 0 for a row that is not there, and where rows have no columns. */
EMBD_API size_t embd_searcher_columns(const embd_searcher* searcher, uint64_t row, char* text,
                                      size_t capacity);

/** Queries of one searcher: int8 or binary codes where its rows are such codes. No other searcher
 * takes them, and they may outlive theirs. */
typedef struct embd_queries embd_queries;

typedef struct embd_query_options {
  size_t size;
  const char* prompt;      /**< put before every text, "" for none; NULL: the model's "query" */
  const char* prompt_name; /**< one of the model's prompts instead of `prompt`; or NULL */
  int threads;             /**< busy threads; 0: what affinity and the cgroup allow */
  int force;               /**< not 0: go on where the rows were made with another model */
} embd_query_options;
#define EMBD_QUERY_OPTIONS_INIT {sizeof(embd_query_options), NULL, NULL, 0, 0}

/** Queries of texts, encoded as the rows' recipe says but for the prompt. */
EMBD_API embd_status embd_queries_from_texts(const embd_searcher* searcher, const embd_model* model,
                                             const embd_text* texts, size_t count,
                                             const embd_query_options* options,
                                             embd_queries** queries, embd_error** error);
/** Queries of vectors [count, dim], as a model gives them: they are not coded yet. */
EMBD_API embd_status embd_queries_from_vectors(const embd_searcher* searcher, const float* vectors,
                                               size_t count, size_t dim, embd_queries** queries,
                                               embd_error** error);
/** Queries of packed bits [count, row_bytes], eight values a byte, the first in the highest bit:
 * where the rows are bits or binary codes. */
EMBD_API embd_status embd_queries_from_bits(const embd_searcher* searcher, const uint8_t* bits,
                                            size_t count, size_t row_bytes, embd_queries** queries,
                                            embd_error** error);
/** Queries of all rows of a file: vectors, codes like those of the rows, or packed bits. `force`,
 * if not 0: go on where they were made with another model than the rows. */
EMBD_API embd_status embd_queries_from_file(const embd_searcher* searcher, const char* path,
                                            int force, embd_queries** queries, embd_error** error);
EMBD_API void embd_queries_free(embd_queries* queries);
EMBD_API size_t embd_queries_size(const embd_queries* queries);

/** Rows of one searcher that a search may return. */
typedef struct embd_filter embd_filter;

/** The rows whose id, as embd_searcher_id gives it, is one of `ids` [count]; none for a count of 0.
 */
EMBD_API embd_status embd_filter_create(const embd_searcher* searcher, const char* const* ids,
                                        size_t count, embd_filter** filter, embd_error** error);
/** A value that rows may have in a column: the text that it is, or its JSON (`1`, `true`). */
typedef struct embd_column_value {
  const char* column;
  const char* value;
} embd_column_value;

/** The rows that meet all of this: their id is one of `ids` [num_ids], of which NULL means any; and
 * in every column that `values` [num_values] names, they have one of its values. */
EMBD_API embd_status embd_filter_create_where(const embd_searcher* searcher, const char* const* ids,
                                              size_t num_ids, const embd_column_value* values,
                                              size_t num_values, embd_filter** filter,
                                              embd_error** error);
EMBD_API void embd_filter_free(embd_filter* filter);
EMBD_API uint64_t embd_filter_size(const embd_filter* filter); /**< rows */

/** The nearest `k` rows to each of `queries`, nearest first, into `hits` [queries, k]. `counts`
 * [queries]: how many there were of each. `filter`: the rows that may be found; NULL for all. */
EMBD_API embd_status embd_searcher_search(const embd_searcher* searcher,
                                          const embd_queries* queries, size_t k,
                                          const embd_search_options* options,
                                          const embd_filter* filter, embd_row_hit* hits,
                                          size_t* counts, embd_error** error);
/** embd_queries_from_texts and embd_searcher_search in one, over all rows. `prompt`: put before
 * each; NULL for the model's "query". */
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
