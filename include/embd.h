/** @file
 * The C interface of embd, for every language that can call C: libembd_c (pkg-config: embd_c).
 *
 * Handles are opaque pointers. A handle belongs to the caller of the function that made it, and is
 * freed by the free function of its type, which accepts NULL. Any number of threads may use the
 * same handle at the same time, as long as none of them frees it. Strings are UTF-8; paths are
 * bytes as the system takes them.
 *
 * A function that can fail returns an embd_status. If it fails, it makes no handle, and if `error`
 * is not NULL, it stores a new embd_error in *error, which the caller frees with embd_error_free.
 * *error is NULL if there is no memory for the message. Success leaves *error as it is.
 *
 * NULL in place of a handle, or of an argument that may not be NULL, is an error and not a crash. A
 * function that returns a status returns EMBD_BAD_ARGUMENT. A function that returns a value returns
 * what it returns where there is nothing: 0, an empty name, NULL for a name by its number, or
 * EMBD_METRIC_OF_FILE.
 *
 * A structure of options begins with its size, so that a program built with an older header works
 * with a newer library. Initialize it with its INIT macro. Options that stand for a value of an
 * enum have the type int; a number that the enum does not have gives EMBD_BAD_ARGUMENT.
 *
 * The search of files is declared in embd_search.h, which this header includes.
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

typedef struct embd_error embd_error;       /**< the reason why a function failed */
typedef struct embd_model embd_model;       /**< a sentence embedding model */
typedef struct embd_index embd_index;       /**< a search index over rows with ids */
typedef struct embd_searcher embd_searcher; /**< a set of vectors that is open for searching */
typedef struct embd_reranker embd_reranker; /**< a cross-encoder, which scores pairs of texts */

/** The result of a function: success or the kind of failure. `embd` exits with the same numbers. */
typedef enum embd_status {
  EMBD_OK = 0,
  EMBD_BAD_ARGUMENT = 2,    /**< an argument or option is not allowed */
  EMBD_BAD_INPUT = 3,       /**< a file or text has other content than expected */
  EMBD_RECIPE_MISMATCH = 4, /**< the vectors are not comparable */
  EMBD_IO_FAILED = 6,       /**< a file cannot be accessed, or no memory is left */
  EMBD_CANCELLED = 130      /**< a callback of the caller ended the job */
} embd_status;

/** Returns the version of the library, such as "0.1.0". The string is static. */
EMBD_API const char* embd_version(void);

/** Returns one line that names the file, the place in it and what was expected. The string is valid
 * as long as the error. For NULL it is "out of memory". */
EMBD_API const char* embd_error_message(const embd_error* error);
EMBD_API void embd_error_free(embd_error* error);

/* ---- model ---- */

/** The arithmetic that a model computes with: float32, matrix products of bfloat16, or matrix
 * products of 8-bit integers. Vectors of different arithmetics differ slightly. */
typedef enum embd_compute { EMBD_COMPUTE_F32, EMBD_COMPUTE_BF16, EMBD_COMPUTE_INT8 } embd_compute;

/** Options for opening a model. */
typedef struct embd_load_options {
  size_t size;
  /** Path of vocab.txt or tokenizer.json for a model file without a vocabulary; or NULL. */
  const char* vocab;
  int verify;  /**< not 0: check the checksums over the whole file */
  int compute; /**< an embd_compute: the arithmetic to compute with */
} embd_load_options;
#define EMBD_LOAD_OPTIONS_INIT {sizeof(embd_load_options), NULL, 0, EMBD_COMPUTE_F32}

/** The way in which the rows of a text's tokens become the vector of the text. */
typedef enum embd_pooling {
  EMBD_POOLING_OF_MODEL = -1, /**< the pooling that the model's configuration names */
  EMBD_POOLING_MEAN,          /**< the mean of all tokens' rows, special tokens included */
  EMBD_POOLING_CLS,           /**< the row of the first token, such as [CLS] */
  EMBD_POOLING_MAX,           /**< in each component, the largest value of all tokens' rows */
  /** the sum of all tokens' rows, divided by the square root of their number */
  EMBD_POOLING_MEAN_SQRT_LEN_TOKENS,
  EMBD_POOLING_WEIGHTEDMEAN, /**< the mean of all tokens' rows with weights 1, 2, 3 and so on */
  EMBD_POOLING_LASTTOKEN,    /**< the row of the last token, such as [SEP] */
  /** several of these, one after the other, as the model's configuration lists them */
  EMBD_POOLING_JOINED
} embd_pooling;

/** The end at which a long text is cut: right drops its last tokens, left its first. */
typedef enum embd_truncation_side {
  EMBD_TRUNCATION_OF_MODEL = -1, /**< the side that the model's configuration names */
  EMBD_TRUNCATION_RIGHT,
  EMBD_TRUNCATION_LEFT
} embd_truncation_side;

/** Options for encoding texts. */
typedef struct embd_encode_options {
  size_t size;
  /** The text put before every text; "" for none, NULL for the model's default prompt. */
  const char* prompt;
  /** The number of tokens that a text is cut to, special tokens included; 0 for the model's own. */
  uint32_t max_length;
  /** The number of leading components to keep of each vector; 0 for the model's dimension. */
  uint32_t truncate_dim;
  int pooling;             /**< an embd_pooling */
  int normalize;           /**< 1: scale vectors to length 1; 0: do not; -1: as the model says */
  int threads;             /**< number of threads; 0 for as many as CPU affinity and cgroup allow */
  const char* prompt_name; /**< a name among the model's prompts, instead of `prompt`; or NULL */
  int truncation_side;     /**< an embd_truncation_side */
} embd_encode_options;
#define EMBD_ENCODE_OPTIONS_INIT                                                \
  {sizeof(embd_encode_options), NULL, 0, 0, EMBD_POOLING_OF_MODEL, -1, 0, NULL, \
   EMBD_TRUNCATION_OF_MODEL}

/** A text of `size` bytes, which need not end in NUL. Malformed UTF-8 is replaced by U+FFFD. */
typedef struct embd_text {
  const char* data;
  size_t size;
} embd_text;

/** Information about a text that was encoded. */
typedef struct embd_row_report {
  /** The number of tokens of the whole text before cutting, special tokens included. */
  uint32_t tokens;
  int truncated; /**< not 0: the text was cut to max_length */
} embd_row_report;

/** The token ids of a text; `size` is their number. */
typedef struct embd_token_ids {
  const int32_t* data;
  size_t size;
} embd_token_ids;

/** A range of bytes in a text: from offset `begin` up to, but not including, offset `end`. */
typedef struct embd_byte_range {
  size_t begin;
  size_t end;
} embd_byte_range;

/** Opens a model: maps a weight file, which must not be overwritten in place while the model lives,
 * or converts a model folder of the Hugging Face hub in memory. In this function and in all that
 * follow, `options` may be NULL for the defaults. */
EMBD_API embd_status embd_model_open(const char* path, const embd_load_options* options,
                                     embd_model** model, embd_error** error);
EMBD_API void embd_model_free(embd_model* model);
/** Returns the number of components of a vector. */
EMBD_API uint32_t embd_model_dim(const embd_model* model);
/** Returns the number of tokens that texts are cut to by default. */
EMBD_API uint32_t embd_model_max_length(const embd_model* model);
/** Returns the name of the model; the string is valid as long as the model. */
EMBD_API const char* embd_model_name(const embd_model* model);
/** Returns the name of the kernels in use, such as "avx512". The string is static. */
EMBD_API const char* embd_model_instruction_set(const embd_model* model);

/** Returns the name and the text of a prompt that the model's configuration names, by its number
 * from 0; NULL after the last prompt. "query" and "document" are always among them. The strings are
 * valid as long as the model. */
EMBD_API const char* embd_model_prompt_name(const embd_model* model, size_t index);
EMBD_API const char* embd_model_prompt_text(const embd_model* model, size_t index);

/** Returns a note on the model by its number from 0; NULL after the last note. A note is a sentence
 * that a user should see once, such as one on prompts that the model's texts need and its
 * configuration does not name. Most models have none. Strings are valid as long as the model. */
EMBD_API const char* embd_model_note(const embd_model* model, size_t index);

/** Encodes texts. Writes one row for each text into `out` [count, dim], where dim is the model's
 * dimension or truncate_dim; `out_size` must be count × dim. `reports` is NULL or [count]. The row
 * of a text does not depend on the other texts of the call, nor on the number of threads. Fails
 * with EMBD_BAD_INPUT for a text whose vector is not finite, because the model is damaged. */
EMBD_API embd_status embd_encode(const embd_model* model, const embd_text* texts, size_t count,
                                 const embd_encode_options* options, float* out, size_t out_size,
                                 embd_row_report* reports, embd_error** error);

/** Writes the token ids of a text, special tokens such as [CLS] and [SEP] included, into `ids`
 * [capacity], cut to max_length as by embd_encode. *count is set to the number of ids, which may be
 * more than `capacity`; then only the first `capacity` ids are written. `ids` may be NULL if
 * `capacity` is 0. */
EMBD_API embd_status embd_tokenize(const embd_model* model, embd_text text,
                                   const embd_encode_options* options, int32_t* ids,
                                   size_t capacity, size_t* count, embd_error** error);

/** Writes token ids as embd_tokenize does, and the place of each token in the text into `ranges`
 * [capacity]. Special tokens and tokens of the prompt have an empty range at 0. */
EMBD_API embd_status embd_tokenize_ranges(const embd_model* model, embd_text text,
                                          const embd_encode_options* options, int32_t* ids,
                                          embd_byte_range* ranges, size_t capacity, size_t* count,
                                          embd_error** error);

/** Encodes texts that are given as token ids, with the special tokens around them, as embd_tokenize
 * returns them. The rest is as in embd_encode. If a text is cut, its first and its last id are
 * kept. Options that concern text (prompts) must not be set. */
EMBD_API embd_status embd_encode_ids(const embd_model* model, const embd_token_ids* texts,
                                     size_t count, const embd_encode_options* options, float* out,
                                     size_t out_size, embd_row_report* reports, embd_error** error);

/** Writes rows [count, dim] to a vector file, whose format follows from the extension of `path`:
 * CVC, finalfusion, SVS, USearch, NumPy and others. The file appears when it is complete. `ids` is
 * NULL or [count]. If `model` is not NULL, the recipe in the file says that the rows were made with
 * this model and `options`. */
EMBD_API embd_status embd_write_vectors(const char* path, const float* rows, size_t count,
                                        size_t dim, const uint64_t* ids, const embd_model* model,
                                        const embd_encode_options* options, embd_error** error);

/* ---- reranker ---- */

/** The function that turns the logits of a cross-encoder into scores. */
typedef enum embd_activation {
  EMBD_ACTIVATION_OF_MODEL = -1, /**< the activation that the model's configuration names */
  EMBD_ACTIVATION_IDENTITY,      /**< the score is the logit */
  EMBD_ACTIVATION_SIGMOID        /**< 1 / (1 + exp(-logit)), from 0 to 1 */
} embd_activation;

/** Options for scoring pairs of texts. */
typedef struct embd_score_options {
  size_t size;
  /** The text put before each first text; "" for none, NULL for the model's default prompt. */
  const char* prompt;
  const char* prompt_name; /**< a name among the model's prompts, instead of `prompt`; or NULL */
  /** The number of tokens that a pair is cut to, special tokens included; 0 for the model's own. */
  uint32_t max_length;
  int truncation_side; /**< an embd_truncation_side: the end at which each text is cut */
  int activation;      /**< an embd_activation */
  int threads;         /**< number of threads; 0 for as many as CPU affinity and cgroup allow */
} embd_score_options;
#define EMBD_SCORE_OPTIONS_INIT \
  {sizeof(embd_score_options), NULL, NULL, 0, EMBD_TRUNCATION_OF_MODEL, EMBD_ACTIVATION_OF_MODEL, 0}

/** A pair of texts that a model reads together, such as a query and a document. */
typedef struct embd_text_pair {
  embd_text first;
  embd_text second;
} embd_text_pair;

/** A document in a ranking. */
typedef struct embd_ranked_document {
  size_t index; /**< its index among the documents that were given */
  float score;  /**< the activation of the logit */
  float logit;  /**< the number that the classifier computes; higher is better */
} embd_ranked_document;

/** Opens a cross-encoder, from a weight file or a model folder of the Hugging Face hub, as
 * embd_model_open opens a sentence embedding model. Any number of threads may use it at the same
 * time. */
EMBD_API embd_status embd_reranker_open(const char* path, const embd_load_options* options,
                                        embd_reranker** reranker, embd_error** error);
EMBD_API void embd_reranker_free(embd_reranker* reranker);
/** Returns the name of the model; the string is valid as long as the reranker. */
EMBD_API const char* embd_reranker_name(const embd_reranker* reranker);
/** Returns the number of tokens that pairs are cut to by default. */
EMBD_API uint32_t embd_reranker_max_length(const embd_reranker* reranker);
/** Returns the number of logits of a pair, at least one. embd_reranker_label returns the name of a
 * logit by its number from 0, or NULL after the last. Names are valid as long as the reranker. */
EMBD_API size_t embd_reranker_num_labels(const embd_reranker* reranker);
EMBD_API const char* embd_reranker_label(const embd_reranker* reranker, size_t index);

/** Scores pairs and writes the results in the same order. `logits` and `scores` are each NULL or
 * [count, labels]; `out_size` must be count × labels. `reports` is NULL or [count]. The scores of a
 * pair do not depend on the other pairs of the call, nor on the number of threads. */
EMBD_API embd_status embd_reranker_score(const embd_reranker* reranker, const embd_text_pair* pairs,
                                         size_t count, const embd_score_options* options,
                                         float* logits, float* scores, size_t out_size,
                                         embd_row_report* reports, embd_error** error);

/** Ranks documents for a query by their logits, best first; at equal logits the earlier document
 * comes first. Writes the best `k` documents, or all if there are fewer, into `ranking` [k], and
 * their number into *found. The model must have exactly one label. */
EMBD_API embd_status embd_reranker_rank(const embd_reranker* reranker, embd_text query,
                                        const embd_text* documents, size_t count, size_t k,
                                        const embd_score_options* options,
                                        embd_ranked_document* ranking, size_t* found,
                                        embd_error** error);

/* ---- index ---- */

/** The measure of how far two rows are apart. For every metric, a smaller distance is nearer. */
typedef enum embd_metric {
  /** The metric that the file names. If it names none: cos, or hamming for rows of bits. */
  EMBD_METRIC_OF_FILE = -1,
  EMBD_METRIC_COS,     /**< 1 - cosine similarity */
  EMBD_METRIC_IP,      /**< 1 - dot product */
  EMBD_METRIC_L2SQ,    /**< squared Euclidean distance */
  EMBD_METRIC_PEARSON, /**< 1 - Pearson's correlation */
  /** The great-circle distance in radians; a row is (latitude, longitude) in degrees. */
  EMBD_METRIC_HAVERSINE,
  EMBD_METRIC_DIVERGENCE, /**< Jensen-Shannon divergence, in nats */
  EMBD_METRIC_HAMMING,    /**< the number of bits that differ */
  EMBD_METRIC_TANIMOTO,   /**< 1 - (bits set in both rows) / (bits set in either) */
  /** 1 - 2 * (bits set in both rows) / (bits set in the one + bits set in the other) */
  EMBD_METRIC_SORENSEN,
  EMBD_METRIC_JACCARD /**< the same as EMBD_METRIC_TANIMOTO */
} embd_metric;

/** A row that a search in an index found. */
typedef struct embd_hit {
  uint64_t id;    /**< the id of the row */
  float distance; /**< smaller is nearer, for every metric */
} embd_hit;

/** Options for searching. */
typedef struct embd_search_options {
  size_t size;
  uint32_t expansion; /**< the size of the candidate list of an HNSW search; 0 for 64 */
  int exact;          /**< not 0: compare the query with every row */
  /** The size of the candidate list of a Vamana search; 0 for the value of `expansion`. */
  uint32_t window;
  /** How many of these candidates a Vamana search keeps for the final ranking; 0 for all. */
  uint32_t capacity;
  int threads; /**< number of threads; 0 for as many as CPU affinity and cgroup allow */
} embd_search_options;
#define EMBD_SEARCH_OPTIONS_INIT {sizeof(embd_search_options), 0, 0, 0, 0, 0}

/** Opens a USearch file or an SVS directory and reads it whole. `metric` is an embd_metric; it is
 * needed only for SVS directories of other programs, which do not name their metric. A metric other
 * than the one that the file names is an error. Fails with EMBD_BAD_INPUT for an index of int8
 * codes, which embd_searcher_open takes. Any number of threads may search an index at the same
 * time. */
EMBD_API embd_status embd_index_open(const char* path, int metric, embd_index** index,
                                     embd_error** error);
/** Builds an HNSW index over rows [count, dim], which are copied. `ids` is [count], or NULL for 0,
 * 1, 2 and so on. `metric` is an embd_metric, but not EMBD_METRIC_OF_FILE. `threads` is the number
 * of threads, 0 for as many as CPU affinity and cgroup allow; it does not affect the graph. */
EMBD_API embd_status embd_index_build(const float* rows, size_t count, size_t dim,
                                      const uint64_t* ids, int metric, int threads,
                                      embd_index** index, embd_error** error);
/** Writes an HNSW index to a USearch file, a Vamana index to an SVS directory, once complete. */
EMBD_API embd_status embd_index_save(const embd_index* index, const char* path, embd_error** error);
EMBD_API void embd_index_free(embd_index* index);
/** Returns the number of rows that a search can find. */
EMBD_API uint64_t embd_index_size(const embd_index* index);
/** Returns the number of values in a row. */
EMBD_API uint64_t embd_index_dim(const embd_index* index);

/** Finds the `k` nearest rows of `query` [dim]. Writes them into `hits` [k], nearest first, and
 * their number, which may be less than `k`, into *count. */
EMBD_API embd_status embd_index_search(const embd_index* index, const float* query, size_t dim,
                                       size_t k, const embd_search_options* options, embd_hit* hits,
                                       size_t* count, embd_error** error);

/** Searches with a query of packed bits, as embd_index_search does with a vector. A byte holds
 * eight values, the first in its highest bit. The rows of the index must be bits, too, and take
 * `row_bytes` bytes each. */
EMBD_API embd_status embd_index_search_bits(const embd_index* index, const uint8_t* query,
                                            size_t row_bytes, size_t k,
                                            const embd_search_options* options, embd_hit* hits,
                                            size_t* count, embd_error** error);

/* ---- whole jobs ---- */

/** The progress of a job. */
typedef struct embd_progress {
  uint64_t rows;   /**< rows finished, including rows of interrupted runs */
  uint64_t tokens; /**< tokens of the texts that this run finished */
  double seconds;  /**< seconds since this run began to embed */
  /** The share of the input that is finished, from 0 to 1; negative if it is not known. */
  double share;
} embd_progress;

/** The type in which the values of vectors are stored. EMBD_OUTPUT_INT8 and EMBD_OUTPUT_BINARY are
 * codes as sentence-transformers makes them. */
typedef enum embd_output_type {
  EMBD_OUTPUT_AUTOMATIC, /**< the type that the format stores by default */
  EMBD_OUTPUT_F32,
  EMBD_OUTPUT_F16,
  EMBD_OUTPUT_INT8,
  EMBD_OUTPUT_BINARY
} embd_output_type;

/** The kinds of terms of a term index. */
typedef enum embd_term_kind {
  EMBD_TERM_STEMS, /**< the stems of words */
  EMBD_TERM_WORDS, /**< words as they are, but for case and Unicode form */
  EMBD_TERM_TOKENS /**< the tokens of the model */
} embd_term_kind;
/** The rules by which words become stems. */
typedef enum embd_stemmer {
  EMBD_STEMMER_ENGLISH, /**< Snowball's stemmer for English */
  EMBD_STEMMER_NONE     /**< a word is its own stem */
} embd_stemmer;

/** Options for embedding texts into files. */
typedef struct embd_embed_options {
  size_t size;
  const embd_encode_options* encode; /**< how to encode the texts; or NULL */
  /** The field that holds the text, in JSON Lines, CSV, TSV and Parquet; NULL for "text". */
  const char* text_field;
  const char* id_field; /**< the field that holds the id of a row; NULL for no ids */
  /** The name of the format of all outputs; NULL for the format of each output's extension. */
  const char* output_format;
  int output_type; /**< an embd_output_type */
  /** A file for a report with one JSON line for each row; NULL for none. */
  const char* row_report;
  int refuse_truncated; /**< not 0: fail for a text that would be cut */
  /** Not 0: keep finished rows in a journal, OUT.journal, and continue from it if it is there. */
  int resume;
  int restart; /**< not 0: discard a journal that was made with another input or other options */
  /** Called whenever rows are finished; or NULL. Calls never overlap, but they may come from any
   * thread. If it returns another number than 0, the job ends with EMBD_CANCELLED. */
  int (*progress)(void* user, const embd_progress* progress);
  void* user; /**< passed to `progress` */
  /** The field of JSON Lines that holds token ids instead of a text; or NULL. */
  const char* token_ids_field;
  /** The encoding of the input, by a name that iconv knows, such as "latin-1"; NULL for UTF-8. */
  const char* encoding;
  /** Not 0: replace bytes that are not valid in the encoding by U+FFFD. 0: EMBD_BAD_INPUT. */
  int replace_invalid_utf8;
  int skip_empty; /**< not 0: skip texts that are empty or only white space */
  char delimiter; /**< the character between the fields of a CSV row; 0 for a comma */
  /** The fields of the input that become columns of CVC, Parquet and JSON Lines files,
   * [num_column_fields]; or NULL. Each is written as NAME for numbers of type int32, NAME:TYPE for
   * numbers of another type, or NAME:text. */
  const char* const* column_fields;
  size_t num_column_fields;
  /** Not 0: the id of a text is the name of its file and its line, such as "a.txt:12". */
  int ids_from_file;
  /** The greatest size of a line of the input, or of a CSV field, in bytes; a greater one is
   * EMBD_BAD_INPUT. 0 for 1 GiB. */
  uint64_t max_text_bytes;
  int term_kind; /**< an embd_term_kind, for an output that is a term index (.terms) */
  int stemmer;   /**< an embd_stemmer */
} embd_embed_options;
/* clang-format off */
#define EMBD_EMBED_OPTIONS_INIT                                                              \
  {sizeof(embd_embed_options), NULL, NULL, NULL, NULL, EMBD_OUTPUT_AUTOMATIC, NULL, 0, 0, 0, \
   NULL, NULL, NULL, NULL, 0, 0, 0, NULL, 0, 0, 0, EMBD_TERM_STEMS, EMBD_STEMMER_ENGLISH}
/* clang-format on */

/** The result of embedding or scoring files. Each pair of texts counts as a row. */
typedef struct embd_embed_report {
  uint64_t rows;           /**< rows of an output, including rows of interrupted runs */
  uint64_t resumed_rows;   /**< rows that interrupted runs had finished */
  uint64_t tokens;         /**< tokens that the model processed in this run */
  uint64_t truncated_rows; /**< rows whose text was longer than max_length and was cut */
  double seconds;          /**< the duration of this run, writing included */
} embd_embed_report;

/** Embeds the texts of a file and writes the vectors to `num_outputs` files in a single pass. The
 * format of the input follows from its extension: .txt, .jsonl, .csv, .tsv or .parquet; "-" is
 * standard input. Either all outputs appear, complete, or none does. `report` may be NULL. */
EMBD_API embd_status embd_embed_file(const embd_model* model, const char* input,
                                     const char* const* outputs, size_t num_outputs,
                                     const embd_embed_options* options, embd_embed_report* report,
                                     embd_error** error);

/** Embeds the texts of several files and folders, one after the other, as embd_embed_file does for
 * one. A folder stands for the text files in it. */
EMBD_API embd_status embd_embed_files(const embd_model* model, const char* const* inputs,
                                      size_t num_inputs, const char* const* outputs,
                                      size_t num_outputs, const embd_embed_options* options,
                                      embd_embed_report* report, embd_error** error);

/** Options for scoring the pairs of a file. */
typedef struct embd_score_pairs_options {
  size_t size;
  const embd_score_options* score; /**< how to score the pairs; or NULL */
  const char* query_field; /**< the field that holds the first text of a pair; NULL for "query" */
  const char* text_field;  /**< the field that holds the second text of a pair; NULL for "text" */
  /** The members from here on have the same meaning as in embd_embed_options. */
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
  uint64_t max_text_bytes;
} embd_score_pairs_options;
/* clang-format off */
#define EMBD_SCORE_PAIRS_OPTIONS_INIT                                                         \
  {sizeof(embd_score_pairs_options), NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, NULL, \
   NULL, 0, 0, 0, 0}
/* clang-format on */

/** Scores the pairs of a file and writes the scores to `num_outputs` files in JSON Lines or
 * Parquet, in a single pass. Each record of the input (JSON Lines, CSV, TSV or Parquet) is a pair.
 * `report`, which may be NULL, counts pairs as rows. */
EMBD_API embd_status embd_score_pairs_file(const embd_reranker* reranker, const char* input,
                                           const char* const* outputs, size_t num_outputs,
                                           const embd_score_pairs_options* options,
                                           embd_embed_report* report, embd_error** error);

/** The result of embd_verify_file. */
typedef struct embd_verification {
  uint64_t num_rows;     /**< rows of the vector set */
  uint64_t num_expected; /**< rows that the texts give */
  uint64_t num_equal;    /**< compared rows in which all values are equal */
  double largest;        /**< the largest difference of two values */
} embd_verification;

/** Embeds texts again as the recipe of `vectors` says, and compares the result with the vectors.
 * `sample` is the number of rows to check, drawn at random; 0 for all. Vectors that differ are no
 * error: *result says by how much. */
EMBD_API embd_status embd_verify_file(const embd_model* model, const char* vectors,
                                      const char* texts, uint64_t sample, embd_verification* result,
                                      embd_error** error);

/** Writes a lock file: hashes of the vectors that a model computes for a set of probe texts. */
EMBD_API embd_status embd_lock_model(const char* model, const char* lock, embd_error** error);
/** Embeds the probe texts of a lock file again and counts those whose vectors have changed:
 * *num_differing of *num_probes. `model` is the path of a model, or NULL for the one that the lock
 * file names. */
EMBD_API embd_status embd_check_lock(const char* lock, const char* model, size_t* num_probes,
                                     size_t* num_differing, embd_error** error);

/** Writes the rows of vector sets or indexes of any format, one after the other, into one file,
 * whose format follows from the extension of `output`. All inputs must have the same recipe. */
EMBD_API embd_status embd_convert(const char* const* inputs, size_t num_inputs, const char* output,
                                  embd_error** error);
/** Builds a search index over a vector file and writes it to `output`: HNSW for the extension
 * .usearch, Vamana for .svs. `metric` is an embd_metric, but not EMBD_METRIC_OF_FILE. */
EMBD_API embd_status embd_index_file(const char* vectors, const char* output, int metric,
                                     embd_error** error);

/** Builds a term index over the texts that a vector set stores and writes it to `output`, whose
 * name ends in .terms. `term_kind` is an embd_term_kind, `stemmer` an embd_stemmer. `model` is the
 * one whose tokens are the terms of EMBD_TERM_TOKENS; for the other kinds it may be NULL. */
EMBD_API embd_status embd_index_terms(const char* vectors, const char* output,
                                      const embd_model* model, int term_kind, int stemmer,
                                      embd_error** error);

/** Options for collecting documents. */
typedef struct embd_collect_options {
  size_t size;
  /** The most tokens of a passage and its context, at least 32; 0 for the number of the collection,
   * which is 256 for a new one. */
  uint32_t max_tokens;
  /** An embd_stemmer, or -1 for that of the collection, which is EMBD_STEMMER_ENGLISH for a new
   * one. */
  int stemmer;
  int check_content; /**< not 0: read all files, also those whose size and time are the same */
  /** Not 0: continue if more than half of the files are gone; with another model or other options,
   * embed everything again. */
  int force;
  int threads; /**< number of threads; 0 for as many as CPU affinity and cgroup allow */
  /** The path of the model, which the collection records for `embd search`; or NULL. */
  const char* model_path;
  int (*progress)(void* user, const embd_progress* progress); /**< as in embd_embed_options */
  void* user;
} embd_collect_options;
#define EMBD_COLLECT_OPTIONS_INIT {sizeof(embd_collect_options), 0, -1, 0, 0, 0, NULL, NULL, NULL}

/** The result of collecting documents. */
typedef struct embd_collect_report {
  uint64_t files;         /**< documents of the collection */
  uint64_t new_files;     /**< documents that it did not have before */
  uint64_t changed_files; /**< documents with other bytes than before */
  uint64_t gone_files;    /**< documents that it no longer has */
  uint64_t passages;      /**< rows of the collection */
  uint64_t embedded;      /**< texts that the model embedded in this run */
  uint64_t reused;        /**< passages whose vectors were there already */
  double seconds;         /**< the duration of this run */
  /** Not 0: more than half of the files are gone and `force` is 0, so nothing was changed. */
  int is_refused;
} embd_collect_report;

/** Makes a collection of the documents in `roots` [num_roots], which are folders and files, or
 * brings it up to date. Later calls add their roots to those of before, and need none. A collection
 * is searched with embd_searcher_open. `report` may be NULL. */
EMBD_API embd_status embd_collect(const embd_model* model, const char* const* roots,
                                  size_t num_roots, const char* folder,
                                  const embd_collect_options* options, embd_collect_report* report,
                                  embd_error** error);

/* ---- comparing rows with each other: near-duplicates, groups, places on a map ---- */

/** Finds near-duplicates among rows [num_rows, dim]: pairs of rows whose cosine similarity is at
 * least `min_similarity`, which is from -1 to 1. Rows that are connected by pairs form a group, of
 * which the first row is kept. `representatives` [num_rows] gets, for each row, the row that is
 * kept for its group; a row that is kept has its own number there. *num_kept gets the number of
 * rows kept; `num_kept` may be NULL. `threads` is the number of threads, 0 for as many as CPU
 * affinity and cgroup allow; it changes no result. Fails with EMBD_BAD_ARGUMENT for an argument
 * that is not allowed, and with EMBD_BAD_INPUT for a value that is not finite. */
EMBD_API embd_status embd_find_duplicates(const float* rows, size_t num_rows, size_t dim,
                                          double min_similarity, int threads,
                                          uint64_t* representatives, size_t* num_kept,
                                          embd_error** error);

/** Options for grouping rows. */
typedef struct embd_cluster_options {
  size_t size;
  /** The number of groups for k-means. 0 chooses the number with the greatest mean silhouette. */
  uint32_t k;
  uint64_t seed; /**< the seed for drawing the rows that k-means starts from */
  /** Not 0: use HDBSCAN, which finds regions where rows lie densely, instead of k-means. */
  int density;
  uint32_t min_size; /**< the smallest number of rows in a group of HDBSCAN; 0 for 10 */
  /** A number k for HDBSCAN: the distance of a row to its k-th nearest row says how densely rows
   * lie around it. The row itself counts as the first. 0 for min_size. */
  uint32_t min_samples;
  int threads; /**< number of threads; 0 for as many as CPU affinity and cgroup allow */
} embd_cluster_options;
#define EMBD_CLUSTER_OPTIONS_INIT {sizeof(embd_cluster_options), 0, 0, 0, 0, 0, 0}

/** Groups rows [num_rows, dim] by their cosine similarity. `groups` [num_rows] gets the group
 * number of each row, from 0 for the largest group; -1 for a row in no group. `distances`
 * [num_rows] gets 1 - the cosine similarity of each row to the center of its group; for a row in no
 * group, to the nearest center. *num_groups gets the number of groups. `distances` and `num_groups`
 * may be NULL.
 */
EMBD_API embd_status embd_cluster_rows(const float* rows, size_t num_rows, size_t dim,
                                       const embd_cluster_options* options, int32_t* groups,
                                       float* distances, size_t* num_groups, embd_error** error);

/** Projects rows [num_rows, dim] onto a plane, such that rows with a high cosine similarity are
 * close to each other. `places` [num_rows, 2] gets the points. `neighbours` is the number of
 * nearest rows that each row is placed close to, 0 for 15; `epochs` is the number of steps in which
 * points are moved, 0 for 300. `threads` is the number of threads, 0 for as many as CPU affinity
 * and cgroup allow; it changes no result. Fails with EMBD_BAD_ARGUMENT for an argument that is not
 * allowed, and with EMBD_BAD_INPUT for a value that is not finite. */
EMBD_API embd_status embd_project(const float* rows, size_t num_rows, size_t dim,
                                  uint32_t neighbours, uint32_t epochs, int threads, float* places,
                                  embd_error** error);

#ifdef __cplusplus
}
#endif

#include <embd_search.h>

#endif
