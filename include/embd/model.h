#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"
#include "embd/model_types.h"
#include "embd/recipe.h"
#include "embd/tokens.h"
#include "embd/vector_module.h"

namespace embd {

/// The arithmetic that a model computes with. docs/arithmetic.md defines each; every processor
/// computes the same bytes.
/// - f32: everything in float32.
/// - bf16: matrix products of bfloat16 values, summed in float32. Slower than f32 on processors
///   without instructions for it.
/// - int8: matrix products of 8-bit integers with exact sums, where each 64 columns of a row of an
///   operand have a scale of their own; GELU, and attention in texts of 64 tokens or more, are
///   approximations that suit this precision. A model whose matrices are not stored as int8 first
///   embeds 90 random tokens in f32 when it is opened, to learn how to round them.
enum class Compute : std::uint8_t { f32, bf16, int8 };
/// Returns the name of an arithmetic: "f32", "bf16" or "int8".
std::string_view compute_name(Compute compute) noexcept;
/// Returns the name of an arithmetic in recipes and lock files: "f32", "bf16" or "int8-blocks".
/// Those of builds before int8 had blocks say "int8", which no build computes any more.
std::string_view recipe_name(Compute compute) noexcept;

/// Options for opening a model.
struct LoadOptions {
  /// The path of vocab.txt or tokenizer.json, for a model file without a vocabulary; empty for all
  /// other models.
  std::filesystem::path vocab = {};
  /// Also check the two checksums over the whole model file. Opening takes longer then, because all
  /// of the file is read. By default they are not checked.
  bool verify = false;
  Compute compute = Compute::f32;
  /// A file in which the SHA-256 of the model file is kept between processes, so that recipe() need
  /// not compute it again. The hash is used as long as the model file cannot have changed since
  /// (docs/decisions/023-kept-hash.md tells how that is known). The folder of the record is created
  /// if it is missing; no other user may write there. If the path is empty, nothing is written, and
  /// each process computes the hash from the file's bytes: half a second for a gigabyte.
  std::filesystem::path hash_record = {};
};

/// Options that may differ from call to call. An option that is not set has the value that the
/// model's configuration gives.
struct EncodeOptions {
  /// The number of tokens that a text is cut to, special tokens included. It is at least one more
  /// than the number of special tokens, and at most max_positions().
  std::optional<std::uint32_t> max_length = {};
  /// The end at which a longer text is cut: right drops its last tokens, left its first. The prompt
  /// counts as the beginning of the text.
  std::optional<TruncationSide> truncation_side = {};
  std::optional<Pooling> pooling = {};
  /// Scale vectors to length 1.
  std::optional<bool> normalize = {};
  /// The number of leading components to keep of each vector, at most full_dim(). The rest is cut
  /// off before vectors are normalized. 0, the default, keeps as many as the model's configuration
  /// says (dim()).
  std::uint32_t truncate_dim = 0;
  /// A text put before every text, such as "query: ". An empty string stands for no prompt, even if
  /// the model has a default one.
  std::optional<std::string> prompt = {};
  /// The name of a prompt in Model::prompts() to put before every text. Cannot be combined with
  /// `prompt`. An empty string stands for no name.
  std::string prompt_name = {};
  /// The treatment of a text longer than max_length. Each window begins with the prompt and
  /// contains the special tokens, which count towards its length. Windows::rows is accepted only by
  /// functions that write to a RowSink, because the number of rows is not known in advance.
  Windows windows = Windows::none;
  /// The distance in tokens from the start of one window to the start of the next. 0 means that
  /// windows do not overlap. The last window ends at the end of the text.
  std::uint32_t stride = 0;
  /// The number of threads that compute, tokenizing included, at most 1024. 0 means as many as the
  /// process's CPU affinity and cgroup allow. Texts are distributed among the threads. If a number
  /// is given, up to four threads also share the work on a single text, unless the model is busy
  /// for another caller. With two threads that have a core each, that is 1.4 to 1.9 times as fast;
  /// if other programs keep the cores busy, it is slower.
  int threads = 0;
  /// The number of tokens that a thread computes together in one batch; 0 lets the engine choose.
  /// It affects speed and memory, but no byte of the result.
  std::size_t batch_tokens = 0;
  /// Compute texts with the same token ids only once in a call, as far as 32 MB suffice to remember
  /// their rows. This is the default. It affects no byte of the result.
  bool dedup = true;
  /// Fail with invalid_utf8 for a text that is not UTF-8. The offset of the error is the place of
  /// the first invalid byte in the text; its line is the number of the text, from 1. By default
  /// malformed bytes are replaced by U+FFFD instead.
  bool strict_utf8 = false;
};

/// Information about the text that a row was made of.
struct RowReport {
  /// The number of tokens of the whole text before cutting, special tokens included. If each window
  /// has its own row, the tokens of this window.
  std::uint32_t tokens = 0;
  /// True if the text was cut to max_length. A text that is divided into windows is not cut.
  bool truncated = false;
  /// The number of this window in its text, from 0, and the number of windows of the text. A row
  /// that is the mean of all windows has the number 0.
  std::uint32_t window = 0;
  std::uint32_t windows = 1;
  /// The place of the window in its text: from the first character that has a part in its tokens to
  /// the last. Set only if each window has its own row.
  std::optional<TextPlace> place = {};
};

/// The numbers of rows and tokens of a call of Model::encode() or Reranker::score(). For a
/// reranker, each pair is a row.
struct Report {
  std::uint64_t rows = 0;  ///< rows returned or passed to the sink
  /// The number of tokens of all rows, after cutting.
  std::uint64_t tokens = 0;
  std::uint64_t truncated_rows = 0;  ///< rows whose text was cut to max_length
  /// The number of rows that were not computed, because another text had the same token ids
  /// (EncodeOptions::dedup). Windows are counted one by one. With several threads, some texts may
  /// be computed more often than necessary.
  std::uint64_t repeated_rows = 0;
};

/// A stream of texts, read by Model::encode(). Calls never overlap, but may come from different
/// threads.
class TextSource {
 public:
  virtual ~TextSource() = default;
  /// Stores the next text in `text`, whose memory is reused, and returns true; returns false at the
  /// end.
  virtual Result<bool> next(std::string& text) = 0;
};

/// A stream of texts given as token ids, read by Model::encode_ids(). Calls never overlap, but may
/// come from different threads.
class TokenIdSource {
 public:
  virtual ~TokenIdSource() = default;
  /// Stores the token ids of the next text in `ids`, whose memory is reused, and returns true;
  /// returns false at the end.
  virtual Result<bool> next(std::vector<std::int32_t>& ids) = 0;
};

/// A receiver of vectors, in the order of their texts. Calls never overlap, but may come from
/// different threads.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// Receives rows [n, dim] and their reports [n], which are valid during the call only.
  virtual Result<void> write(MatrixView rows, std::span<const RowReport> reports) = 0;
};

/// A sentence embedding model: an encoder such as BERT or MPNet, its tokenizer and its pooling. It
/// is read from a weight file, which is mapped into memory, or from a model folder of the Hugging
/// Face hub.
///
/// A model does not change after open(), so any number of threads may call any function at the same
/// time. It can be moved, but not copied. Results belong to the caller.
///
/// A text always gets the same bytes, in any batch, with any batch size and number of threads, and
/// on any processor; only the kernels "reference" differ (docs/reproducible.md).
///
/// Functions fail with invalid_argument for options outside the model's limits, with invalid_utf8
/// in strict mode, with bad_value for a text whose vector is not finite, with cancelled after a
/// stop request, with out_of_memory, and with the errors that a source or sink returned. The line
/// of an error about a text is the number of the text, from 1.
class Model {
 public:
  /// Maps a weight file and checks all of its structure (docs/formats/embd.md). The file must not
  /// be overwritten in place while the model lives.
  ///
  /// A directory is taken as a model folder of the Hugging Face hub and converted in memory, which
  /// fails as convert_model() does. The vectors and their recipe are the same as with the file that
  /// convert_model() would write. Such a file opens faster, and processes share its memory.
  static Result<Model> open(const std::filesystem::path& path, const LoadOptions& options = {});

  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const std::string& name() const noexcept;
  /// Returns the number of components of a vector, unless EncodeOptions::truncate_dim changes it.
  std::uint32_t dim() const noexcept;
  /// Returns the number of components of a vector of which none are cut off, the most that
  /// EncodeOptions::truncate_dim can keep.
  std::uint32_t full_dim() const noexcept;
  /// Returns the number of components of a token's row.
  std::uint32_t hidden() const noexcept;
  /// Returns the poolings of the model's configuration, whose results are joined in this order.
  std::vector<Pooling> poolings() const;
  /// Returns the steps between pooling and a last scaling to length 1, in their order.
  const std::vector<VectorModule>& modules() const noexcept;
  /// Returns the number of tokens that texts are cut to by default (max_length), and the most that
  /// the model can process (max_positions).
  std::uint32_t max_length() const noexcept;
  std::uint32_t max_positions() const noexcept;
  std::uint32_t vocab_size() const noexcept;
  /// Returns the prompts that the model's configuration names. "query" and "document" are always
  /// among them; their text is empty if the model has none.
  const std::vector<Prompt>& prompts() const noexcept;
  /// Returns the name of the prompt that is used if the options give none; empty if there is no
  /// such prompt.
  const std::string& default_prompt_name() const noexcept;
  /// Returns the similarity that the model was trained for, as sentence-transformers names it:
  /// "cosine", "dot", "euclidean" or "manhattan". The string is empty if the model does not say.
  const std::string& similarity() const noexcept;
  Compute compute() const noexcept;
  /// Returns what a user should know about this model, such as prompts that its texts need and its
  /// configuration does not name. A program shows these notes once. Usually there are none.
  const std::vector<ModelNote>& notes() const noexcept;
  ModelSize size() const;
  /// Returns the name of the kernels in use, such as "avx512" or "avx512_vnni".
  std::string_view instruction_set() const noexcept;
  /// Returns the recipe of vectors that are encoded with `options`. The first call computes the
  /// SHA-256 of the model file (about 0.1 s for 90 MB); later calls reuse it.
  Result<Recipe> recipe(const EncodeOptions& options = {}) const;

  /// Computes the vectors of texts, [texts, dim]: row i is the vector of text i.
  Result<Matrix> encode(std::span<const std::string_view> texts, const EncodeOptions& options = {},
                        std::stop_token stop = {}) const;
  /// Computes the vector of one text, [dim].
  Result<std::vector<float>> encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// Computes the vectors of texts and writes them to the caller's memory. `out` must hold texts ×
  /// dim floats; `reports` must be empty or hold one entry for each text.
  Result<Report> encode(std::span<const std::string_view> texts, std::span<float> out,
                        std::span<RowReport> reports, const EncodeOptions& options = {},
                        std::stop_token stop = {}) const;
  /// Encodes a stream of texts into a sink. Memory does not grow with the number of texts: only
  /// some texts and their rows are held at a time. A stop request is noticed after some hundred
  /// tokens; the rows that the sink has received by then are complete, from the first on.
  Result<Report> encode(TextSource& source, RowSink& sink, const EncodeOptions& options = {},
                        std::stop_token stop = {}) const;
  /// Encodes texts that are given as token ids, with the special tokens around them, as tokenize()
  /// returns them. The vectors [texts, dim] have the bytes that encode() computes for the texts
  /// themselves. A text longer than max_length is cut, and its special tokens are kept. Options
  /// that concern text (prompt, windows, strict_utf8) must not be set. Fails with invalid_argument
  /// for an id outside the vocabulary and for a text without tokens; the message names the text and
  /// the token.
  Result<Matrix> encode_ids(std::span<const std::span<const std::int32_t>> texts,
                            const EncodeOptions& options = {}, std::stop_token stop = {}) const;
  /// Computes the vectors of texts given as token ids and writes them to the caller's memory. `out`
  /// and `reports` have the sizes that encode() needs.
  Result<Report> encode_ids(std::span<const std::span<const std::int32_t>> texts,
                            std::span<float> out, std::span<RowReport> reports,
                            const EncodeOptions& options = {}, std::stop_token stop = {}) const;
  /// Computes the vectors of a stream of texts given as token ids and passes them to a sink. Memory
  /// and stop requests are as in encode() for a stream of texts.
  Result<Report> encode_ids(TokenIdSource& source, RowSink& sink, const EncodeOptions& options = {},
                            std::stop_token stop = {}) const;
  /// Returns the output of the encoder's last layer for each token of a text, [tokens, hidden],
  /// neither pooled nor normalized.
  Result<Matrix> encode_tokens(std::string_view text, const EncodeOptions& options = {},
                               std::stop_token stop = {}) const;

  /// Returns the tokens of a text, with the prompt, and cut as `options` say; a max_length of 0
  /// does not cut.
  Result<Tokens> tokenize(std::string_view text, const EncodeOptions& options = {}) const;
  /// Returns a report for each window that a text is divided into with EncodeOptions::windows set
  /// to Windows::rows, including the window's place in the text. A text that fits is one window.
  /// Fails with invalid_argument for any other value of `windows` and for options outside the
  /// model's limits, and with invalid_utf8 in strict mode.
  Result<std::vector<RowReport>> windows(std::string_view text, const EncodeOptions& options) const;
  /// Returns the vocabulary entry of a token id, valid as long as the model; empty if there is no
  /// such id.
  std::string_view token(std::int32_t id) const noexcept;
  /// Returns the text that token ids stand for, as decode() of Hugging Face's tokenizers does,
  /// without the special tokens if `skip_special` is true. Fails with invalid_argument for an id
  /// outside the vocabulary.
  Result<std::string> decode(std::span<const std::int32_t> ids, bool skip_special = true) const;
  /// Returns true if tokenize() may have returned these ids: all are in the vocabulary, and the
  /// model's special tokens surround them. A caller can thus refuse ids of another model's
  /// tokenizer, whose vectors would have no meaning.
  bool are_own_ids(std::span<const std::int32_t> ids) const noexcept;

  struct Impl;

 private:
  explicit Model(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace embd
