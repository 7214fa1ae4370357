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
#include "embd/model_size.h"
#include "embd/prompt.h"
#include "embd/recipe.h"
#include "embd/tokens.h"

namespace embd {

/// The arithmetic of a forward pass; docs/arithmetic.md defines each, and every processor computes
/// the same bytes. f32: float32 throughout. int8: matrix products of bytes with exact sums (a
/// token's row is rounded to 256 steps of its own, a row of a matrix to 255), and an attention and
/// a GELU made for them. bf16: matrix products of bfloat16 values, summed in float32; slower than
/// f32 on processors without instructions for them.
enum class Compute : std::uint8_t { f32, bf16, int8 };
/// "f32", "bf16", "int8"
std::string_view compute_name(Compute compute) noexcept;

struct LoadOptions {
  /// vocab.txt or tokenizer.json for a model file without an embedded vocabulary; empty otherwise.
  std::filesystem::path vocab = {};
  /// Also check the two checksums over the whole file (reads all of it).
  bool verify = false;
  Compute compute = Compute::f32;
  /// A file in which recipe() may keep the model's SHA-256 from process to process, for as long as
  /// nothing can have changed the model file (docs/decisions/023-kept-hash.md says how that is
  /// known; the folder is made if it is missing, and nobody else may write there). It costs one
  /// open file. Empty: the hash is made from the file's bytes in each process, which takes half a
  /// second for a gigabyte, and nothing is written.
  std::filesystem::path hash_record = {};
};

/// The options that may differ from call to call. An unset value is the model's own.
struct EncodeOptions {
  /// Tokens a text is cut to, special ones counted: at least one more than these, at most the
  /// model's positions.
  std::optional<std::uint32_t> max_length = {};
  /// Which end of a longer text is cut off, a prompt included.
  std::optional<TruncationSide> truncation_side = {};
  std::optional<Pooling> pooling = {};
  std::optional<bool> normalize = {};
  /// Keep so many leading components, up to hidden(), and normalize them again if normalizing.
  /// 0: the model's own number, dim().
  std::uint32_t truncate_dim = 0;
  /// Put before every text, such as "query: "; an empty one puts nothing there.
  std::optional<std::string> prompt = {};
  /// The prompt by its name among Model::prompts(), instead of itself; empty: no name is given.
  std::string prompt_name = {};
  /// How a text longer than max_length is treated. A window counts its special tokens and the
  /// prompt, which stands before each. Windows::rows is for streams only, where the number of rows
  /// need not be known.
  Windows windows = Windows::none;
  /// Tokens of the text from the start of a window to that of the next; 0: windows do not overlap.
  /// The last window ends where the text does.
  std::uint32_t stride = 0;
  /// Busy threads, tokenizing included; 0 means what affinity and the cgroup allow. Texts are
  /// shared out among them. Where a number is given, one text alone is computed by up to four of
  /// them together, unless the model is at work for another caller: 1.4 to 1.9 times as fast with
  /// two that have a core each, slower where other programs keep the cores busy.
  int threads = 0;
  /// Tokens a worker takes through the layers at a time; 0 means the engine's choice. Changes speed
  /// and memory, never a byte of the result.
  std::size_t batch_tokens = 0;
  /// Compute a text whose token ids were those of another text of this call only once, as far as 32
  /// MB of such rows reach. Changes no byte of the result.
  bool dedup = true;
  /// Refuse a text that is not UTF-8, instead of replacing what is malformed: the error's offset is
  /// the byte's place in its text, its line the text's number from 1.
  bool strict_utf8 = false;
};

/// The result of reading one text.
struct RowReport {
  /// Tokens of the whole text, special ones counted, before any cut; of this window only, if
  /// windows have rows of their own.
  std::uint32_t tokens = 0;
  bool truncated = false;
  /// The window of its text that this row is, from 0 (0 for their mean), and how many there are.
  std::uint32_t window = 0;
  std::uint32_t windows = 1;
  /// Where in its text the window lies, from the first character of which a token is in it to the
  /// last one. Only where windows have rows of their own.
  std::optional<TextPlace> place = {};
};

struct Report {
  std::uint64_t rows = 0;
  /// The tokens of all rows, after any cut.
  std::uint64_t tokens = 0;
  std::uint64_t truncated_rows = 0;
  /// Rows that were not computed, since another text had the same token ids (EncodeOptions.dedup);
  /// windows count one by one. With several threads some more may have been computed than had to.
  std::uint64_t repeated_rows = 0;
};

/// Where a stream of texts comes from. Called from one thread at a time.
class TextSource {
 public:
  virtual ~TextSource() = default;
  /// Puts the next text in `text` (reusing its memory) and returns true, or false at the end.
  virtual Result<bool> next(std::string& text) = 0;
};

/// Where a stream of texts comes from that are token ids already. Called from one thread at a time.
class TokenIdSource {
 public:
  virtual ~TokenIdSource() = default;
  /// Puts the next text's ids in `ids` (reusing its memory) and returns true, or false at the end.
  virtual Result<bool> next(std::vector<std::int32_t>& ids) = 0;
};

/// Where a stream of vectors goes. Called from one thread at a time, rows in the order of the
/// texts.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// `rows` [n, dim] and `reports` [n] are valid during the call.
  virtual Result<void> write(MatrixView rows, std::span<const RowReport> reports) = 0;
};

/// A sentence embedding model: a BERT encoder, its vocabulary and its pooling, over a mapped EMBD
/// file or a Hugging Face folder.
///
/// Immutable after open(): any number of threads may call any member at once. Moved, not copied;
/// copies of what it computes are the caller's. Every encode gives a text the same bytes whatever
/// else is in the batch, in any order, with any batch size, number of threads and
/// instruction_set(), but for "reference" (docs/reproducible.md). Errors: invalid_argument for
/// options outside the model's limits, invalid_utf8 in strict mode, cancelled when stopped,
/// out_of_memory; a source's or sink's own error is passed on.
class Model {
 public:
  /// Maps the file and checks all of its structure (see docs/formats/embd.md). The file must not be
  /// changed in place while the model lives.
  ///
  /// A directory is a Hugging Face folder, which is converted in memory each time: convert_model()
  /// says what it takes and which errors there are, and makes a file of it that opens faster and
  /// shares its memory with other processes. The vectors and their recipe are those of that file.
  static Result<Model> open(const std::filesystem::path& path, const LoadOptions& options = {});

  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  const std::string& name() const noexcept;
  std::uint32_t dim() const noexcept;
  /// Components of the last layer's rows, the most that truncate_dim may keep.
  std::uint32_t hidden() const noexcept;
  /// Default and largest possible number of tokens of a text.
  std::uint32_t max_length() const noexcept;
  std::uint32_t max_positions() const noexcept;
  std::uint32_t vocab_size() const noexcept;
  /// The prompts that the model's configuration names. "query" and "document" are always among
  /// them, with no text where the model has none.
  const std::vector<Prompt>& prompts() const noexcept;
  /// Name of the prompt put before a text where the options give none; empty: none is.
  const std::string& default_prompt_name() const noexcept;
  /// The similarity that the model was trained for, in sentence-transformers' words: "cosine",
  /// "dot", "euclidean", "manhattan"; empty where the model does not say.
  const std::string& similarity() const noexcept;
  Compute compute() const noexcept;
  ModelSize size() const;
  /// The kernels in use, such as "avx512" or "avx512_vnni": the profile within which bytes are
  /// equal.
  std::string_view instruction_set() const noexcept;
  /// Returns what vectors encoded with `options` are made with. The first call hashes the model
  /// file (90 MB: about 0.1 s); later ones reuse the hash.
  Result<Recipe> recipe(const EncodeOptions& options = {}) const;

  /// [texts, dim].
  Result<Matrix> encode(std::span<const std::string_view> texts, const EncodeOptions& options = {},
                        std::stop_token stop = {}) const;
  /// One text, [dim].
  Result<std::vector<float>> encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// Into the caller's memory: `out` holds texts × dim floats, `reports` is empty or one a text.
  Result<Report> encode(std::span<const std::string_view> texts, std::span<float> out,
                        std::span<RowReport> reports, const EncodeOptions& options = {},
                        std::stop_token stop = {}) const;
  /// From a source to a sink, in memory that does not grow with the number of texts: a few windows
  /// of texts and their rows are held at a time, and a text of any length. A stop is noticed
  /// between blocks (hundreds of tokens); what the sink was given by then is a prefix of the rows.
  Result<Report> encode(TextSource& source, RowSink& sink, const EncodeOptions& options = {},
                        std::stop_token stop = {}) const;
  /// The vectors of token ids, [texts, dim]: of each text what tokenize() gives, special tokens
  /// included. encode() of the text gives the same bytes. A text of more than max_length is cut as
  /// encode() cuts it: the special tokens around it stay. Options that are for text (prompt,
  /// windows, strict_utf8) are errors. Errors: invalid_argument, which names the text and the
  /// token, too, for an id outside the vocabulary and for a text without tokens.
  Result<Matrix> encode_ids(std::span<const std::span<const std::int32_t>> texts,
                            const EncodeOptions& options = {}, std::stop_token stop = {}) const;
  /// Into the caller's memory, as encode() does.
  Result<Report> encode_ids(std::span<const std::span<const std::int32_t>> texts,
                            std::span<float> out, std::span<RowReport> reports,
                            const EncodeOptions& options = {}, std::stop_token stop = {}) const;
  /// From a source to a sink, as encode() does.
  Result<Report> encode_ids(TokenIdSource& source, RowSink& sink, const EncodeOptions& options = {},
                            std::stop_token stop = {}) const;
  /// The last layer's row for each token of the text, [tokens, hidden], neither pooled nor
  /// normalized.
  Result<Matrix> encode_tokens(std::string_view text, const EncodeOptions& options = {},
                               std::stop_token stop = {}) const;

  /// Tokens with the prompt and the cut of `options`; max_length 0 does not cut.
  Result<Tokens> tokenize(std::string_view text, const EncodeOptions& options = {}) const;
  /// The windows of a text, of which encode() makes rows where options.windows is Windows::rows:
  /// the reports of those rows, each with its place in the text. A text that fits is one window.
  /// Errors: invalid_argument for other windows and for options outside the model's limits;
  /// invalid_utf8 in strict mode.
  Result<std::vector<RowReport>> windows(std::string_view text, const EncodeOptions& options) const;
  /// The vocabulary entry of an id; empty if there is no such id.
  std::string_view token(std::int32_t id) const noexcept;
  /// The text that token ids stand for, as decode() of Hugging Face's tokenizers makes it; without
  /// the special tokens if asked. Errors: invalid_argument for an id outside the vocabulary.
  Result<std::string> decode(std::span<const std::int32_t> ids, bool skip_special = true) const;
  /// Returns true if tokenize() may have made these ids: all are in the vocabulary and the model's
  /// special tokens are around them. Ids of another model would give vectors that mean nothing.
  bool are_own_ids(std::span<const std::int32_t> ids) const noexcept;

  struct Impl;

 private:
  explicit Model(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace embd
