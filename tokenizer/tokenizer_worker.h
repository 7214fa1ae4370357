#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "embd/model_types.h"
#include "embd/tokens.h"
#include "tokenizer/tokenizer.h"

namespace embd {

/// The number of tokens of each text of a pair.
struct PairLengths {
  std::int64_t first;
  std::int64_t second;

  bool operator==(const PairLengths&) const = default;
};

/// Cuts two texts to `room` tokens together, the longer one first, as the strategy `longest_first`
/// of Hugging Face's tokenizers does. A text of at most half of the room stays whole. If both are
/// longer, the shorter one gets half of the room, rounded down, and the longer one the rest. Of two
/// equally long texts, the second counts as the longer one.
constexpr PairLengths cut_longest_first(PairLengths lengths, std::int64_t room) noexcept {
  const auto [first, second] = lengths;
  if (first + second <= room) return lengths;
  const std::int64_t shorter = std::min({first, second, room / 2});
  const std::int64_t longer = room - shorter;
  return first > second ? PairLengths{longer, shorter} : PairLengths{shorter, longer};
}

struct TextOptions {
  /// The number of tokens that a text or a pair is cut to, special tokens included; 0 for no cut.
  std::uint32_t max_length = 0;
  TruncationSide truncation_side = TruncationSide::right;
  /// Fail for a text that is not UTF-8, instead of accepting malformed bytes.
  bool strict_utf8 = false;
  /// A text put before the text, or before the first text of a pair, as if it were its beginning.
  std::string_view prompt;
};

/// The result of turning a text or a pair into tokens.
struct Encoding {
  /// The number of tokens before cutting, special tokens included.
  std::uint64_t tokens = 0;
  bool truncated = false;
  /// The number of tokens that were kept of the text, or of the first text of a pair.
  std::size_t first = 0;
};

/// The vectors to which tokens are appended. A null pointer means that this information is not
/// needed.
struct TokenOutput {
  std::vector<std::int32_t>* ids;
  std::vector<std::uint8_t>* types = nullptr;
  std::vector<ByteRange>* ranges = nullptr;  ///< see Tokens::ranges
};

/// Turns texts and pairs of texts into tokens as a model reads them: with the special tokens of the
/// tokenizer's template, and cut to a length. Used by one thread at a time. The tokenizer must
/// outlive it. The constructor throws std::bad_alloc if half a megabyte of memory cannot be
/// allocated.
///
/// A function that fails appends nothing. Time is linear in the length of the text. Memory, apart
/// from the ids, is constant; with a prompt, it includes a copy of the text. Fails with
/// invalid_argument for a max_length without room for the special tokens; with invalid_utf8 in
/// strict mode, with the offset of the byte in the text; with out_of_memory; and with the errors of
/// the TextTokenizer.
class TokenizerWorker {
 public:
  explicit TokenizerWorker(const Tokenizer& tokenizer)
      : template_(tokenizer.special_tokens()), text_tokenizer_(tokenizer.make_text_tokenizer()) {}

  /// Returns the special tokens around a text.
  const TokenTemplate& special_tokens() const noexcept { return template_; }

  Result<Encoding> encode(std::string_view text, const TextOptions& options,
                          const TokenOutput& out);
  /// Appends the tokens of a pair. The pair is cut as by cut_longest_first(), each text at the end
  /// that the options name. If the first text is the same as in the pair before, its tokens are
  /// reused, so a query that is paired with many documents is tokenized once.
  Result<Encoding> encode(const TextPair& pair, const TextOptions& options, const TokenOutput& out);
  /// Appends the tokens of prompt and text only: without special tokens, and uncut.
  Result<Encoding> encode_plain(std::string_view text, std::string_view prompt,
                                const TokenOutput& out);

  /// Returns the tokens with types, ranges and everything else that is known of them.
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
  /// Appends the tokens of prompt and text, as many as the limit allows.
  Result<void> append_plain(std::string_view text, std::string_view prompt, const TokenLimit& limit,
                            const TokenOutput& out, Encoding& encoding);
  Result<void> read_part(std::string_view text, std::string_view prompt, const TokenLimit& limit,
                         bool with_ranges, Part& part);
  /// Tokenizes a text into first_, unless its tokens are there already.
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
