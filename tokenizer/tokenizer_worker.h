#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/byte_range.h"
#include "embd/error.h"
#include "embd/tokens.h"
#include "embd/truncation_side.h"
#include "tokenizer/tokenizer.h"

namespace embd {

struct TextOptions {
  /// Tokens a text or a pair is cut to, special ones counted; 0 for no cut.
  std::uint32_t max_length = 0;
  TruncationSide truncation_side = TruncationSide::right;
  /// Refuse a text that is not UTF-8 instead of giving malformed bytes a meaning.
  bool strict_utf8 = false;
  /// Put before the text, or the first of a pair, as if it were the beginning of it.
  std::string_view prompt;
};

/// The result of turning a text or a pair into tokens.
struct Encoding {
  /// Tokens of the whole text, special ones counted, before any cut.
  std::uint64_t tokens = 0;
  bool truncated = false;
  /// Tokens of the text, or of the first of a pair, that were kept.
  std::size_t first = 0;
};

/// The vectors that tokens are appended to. One that is null is not asked for.
struct TokenOutput {
  std::vector<std::int32_t>* ids;
  std::vector<std::uint8_t>* types = nullptr;
  std::vector<ByteRange>* ranges = nullptr;  ///< see Tokens::ranges
};

/// Turns texts and pairs of texts into tokens as a model reads them: with the special tokens of the
/// tokenizer's template, cut to a length. One thread's property. The tokenizer must outlive it.
/// Throws std::bad_alloc when made if its memory, half a megabyte, cannot be had.
///
/// Each member appends nothing if it fails. Time is linear in the text, memory besides the ids
/// constant (with a prompt: a copy of the text). Errors: invalid_argument for a max_length without
/// room for the special tokens; invalid_utf8 in strict mode, with the byte's offset in the text;
/// out_of_memory; those of the TextTokenizer.
class TokenizerWorker {
 public:
  explicit TokenizerWorker(const Tokenizer& tokenizer)
      : template_(tokenizer.special_tokens()), text_tokenizer_(tokenizer.make_text_tokenizer()) {}

  /// The special tokens around a text.
  const TokenTemplate& special_tokens() const noexcept { return template_; }

  Result<Encoding> encode(std::string_view text, const TextOptions& options,
                          const TokenOutput& out);
  /// A pair is cut as cut_longest_first() says, each text on the side of the options. The tokens of
  /// a first text that the pair before had, too, are taken from there: a query beside each of its
  /// documents becomes tokens once.
  Result<Encoding> encode(const TextPair& pair, const TextOptions& options, const TokenOutput& out);
  /// Appends the tokens of prompt and text alone: no special ones, and no cut.
  Result<Encoding> encode_plain(std::string_view text, std::string_view prompt,
                                const TokenOutput& out);

  /// The tokens with all that is known of each.
  Result<Tokens> tokenize(std::string_view text, const TextOptions& options);
  Result<Tokens> tokenize(const TextPair& pair, const TextOptions& options);

 private:
  /// The tokens of one text of a pair.
  struct Part {
    std::vector<std::int32_t> ids;
    std::vector<ByteRange> ranges;
    std::int64_t count = 0;  ///< before the cut
  };

  class Appending;
  Result<void> append_pair(const TextPair& pair, const TextOptions& options, Appending& out,
                           Encoding& encoding);
  /// Appends the tokens of prompt and text within the limit.
  Result<void> append_plain(std::string_view text, std::string_view prompt, const TokenLimit& limit,
                            const TokenOutput& out, Encoding& encoding);
  Result<void> read_part(std::string_view text, std::string_view prompt, const TokenLimit& limit,
                         bool with_ranges, Part& part);
  /// Makes first_ the tokens of that text, unless it has them.
  Result<void> read_first(std::string_view text, std::string_view prompt, const TokenLimit& limit,
                          bool with_ranges);
  void note(const Encoding& encoding, Tokens& tokens) const noexcept;

  const TokenTemplate& template_;
  std::unique_ptr<TextTokenizer> text_tokenizer_;
  std::string joined_;  ///< prompt and text
  Part first_;
  Part second_;
  /// The source of the tokens in first_.
  struct PartSource {
    std::string text;
    std::string prompt;
    TokenLimit limit;
    bool with_ranges = false;
  };
  std::optional<PartSource> source_of_first_;
};

}  // namespace embd
