#include "tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "base/byte_writer.h"
#include "base/checksum.h"
#include "base/try.h"
#include "base/utf8.h"
#include "tokenizer/utf8_decode.h"

namespace embd {
namespace {

/// [CLS] and [SEP].
constexpr std::int64_t num_special_tokens = 2;

Result<void> check_utf8(std::string_view text, std::string_view what) {
  const std::optional<std::size_t> bad = find_invalid_utf8(text);
  if (!bad) return {};
  return std::unexpected(
      Error(ErrorCode::invalid_utf8,
            fmt::format("byte {:#04x} of the {} is not UTF-8",
                        static_cast<unsigned>(static_cast<std::uint8_t>(text[*bad])), what))
          .at_offset(*bad));
}

}  // namespace

/// Counts all tokens and appends those within the limit: the first ones, or the last ones if the
/// left side is cut off.
class TokenizerWorker::TokenSink {
 public:
  /// `ranges` may be null: nobody asks for them. `text_begin`: where offset 0 is.
  TokenSink(const TextOptions& options, const char* text_begin, std::vector<std::int32_t>& ids,
            std::vector<ByteRange>* ranges)
      : ids_(ids),
        ranges_(ranges),
        first_id_(std::ssize(ids)),
        first_range_(ranges == nullptr ? 0 : std::ssize(*ranges)),
        text_begin_(text_begin),
        limit_(options.max_length == 0 ? std::numeric_limits<std::int64_t>::max()
                                       : std::int64_t{options.max_length} - num_special_tokens),
        keeps_last_(options.truncation_side == TruncationSide::left && options.max_length != 0) {}

  void add(std::span<const std::int32_t> ids) {
    if (ids.size() > buffer_.size() - used_) flush();
    std::ranges::copy(ids, buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += ids.size();
  }
  void add(const WordCache::Entry& entry) {
    if (WordCache::max_ids > buffer_.size() - used_) flush();
    // All of them, whatever their number: that is one store, and the next ones overwrite the rest.
    std::ranges::copy(entry.ids, buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += entry.num_ids;
  }
  bool wants_ranges() const noexcept { return ranges_ != nullptr; }
  /// The place of the first added token that has none yet.
  void add_range(const char* begin, const char* end) {
    if (!keeps_last_ && std::ssize(*ranges_) - first_range_ >= limit_) return;
    const auto offset = [this](const char* at) {
      return static_cast<std::size_t>(std::max(at, text_begin_) - text_begin_);
    };
    const ByteRange range = {offset(begin), offset(end)};
    ranges_->push_back(range.begin == range.end ? ByteRange() : range);
  }
  /// To be called at the end, once.
  void finish() {
    flush();
    if (keeps_last_) drop_first();
  }
  std::int64_t count() const noexcept { return count_; }
  bool truncated() const noexcept { return count_ > limit_; }

 private:
  void flush() {
    const std::int64_t room = keeps_last_ ? std::ssize(buffer_) : limit_ - std::min(limit_, count_);
    const auto kept = std::min(static_cast<std::int64_t>(used_), room);
    ids_.insert(ids_.end(), buffer_.begin(), buffer_.begin() + kept);
    count_ += static_cast<std::int64_t>(used_);
    used_ = 0;
    // Seldom enough that what is moved forward weighs little.
    if (keeps_last_ && std::ssize(ids_) - first_id_ > 2 * limit_ + std::ssize(buffer_)) {
      drop_first();
    }
  }
  /// Tokens in front of the last `limit_` whose ids are out of the buffer.
  void drop_first() {
    const std::int64_t excess = std::ssize(ids_) - first_id_ - limit_;
    if (excess <= 0) return;
    ids_.erase(ids_.begin() + first_id_, ids_.begin() + first_id_ + excess);
    if (ranges_ == nullptr) return;
    ranges_->erase(ranges_->begin() + first_range_, ranges_->begin() + first_range_ + excess);
  }

  std::vector<std::int32_t>& ids_;
  std::vector<ByteRange>* ranges_;
  const std::ptrdiff_t first_id_;
  const std::ptrdiff_t first_range_;
  const char* text_begin_;
  const std::int64_t limit_;
  const bool keeps_last_;
  std::int64_t count_ = 0;
  std::size_t used_ = 0;
  WordPieces buffer_;
};

Tokenizer::Tokenizer(Vocabulary vocabulary, const TokenizerOptions& options)
    : vocabulary_(std::move(vocabulary)),
      special_tokens_(vocabulary_),
      normalizer_(std::make_unique<Normalizer>(options.lower_case)) {
  for (char32_t c = 0; c < 0x80; ++c) byte_classes_[c] = (*normalizer_)[c].character_class;
}

std::string Tokenizer::hash() const {
  ByteWriter description;
  description.text("embd tokenizer 1: BERT WordPiece, ## continues, 100 code points a word\n");
  description.u8(normalizer_->lower_case() ? 1 : 0);
  for (const std::int32_t id : vocabulary_.special().ids()) {
    description.u32(static_cast<std::uint32_t>(id));
  }
  for (const std::string_view token : vocabulary_.tokens()) {
    description.u32(static_cast<std::uint32_t>(token.size()));
    description.text(token);
  }
  return sha256_hex(description.view());
}

Result<Encoding> TokenizerWorker::encode(std::string_view text, const TextOptions& options,
                                         std::vector<std::int32_t>& ids,
                                         std::vector<ByteRange>* ranges) {
  if (options.max_length == 1) {
    return fail(ErrorCode::invalid_argument, "max_length 1 has no room for [CLS] and [SEP]");
  }
  if (options.strict_utf8) {
    EMBD_TRY(check_utf8(options.prompt, "prompt"));
    EMBD_TRY(check_utf8(text, "text"));
  }
  const std::size_t old_ids = ids.size();
  const std::size_t old_ranges = ranges == nullptr ? 0 : ranges->size();
  try {
    if (!options.prompt.empty()) {
      joined_.assign(options.prompt).append(text);
      text = joined_;
    }
    const Vocabulary& vocabulary = tokenizer_->vocabulary();
    const SpecialTokenFinder& special_tokens = tokenizer_->special_tokens();
    ids.push_back(vocabulary.special().cls);
    if (ranges != nullptr) ranges->emplace_back();
    TokenSink sink(options, text.data() + options.prompt.size(), ids, ranges);
    for (std::size_t position = 0; position < text.size();) {
      const SpecialTokenFinder::Found special = special_tokens.find(text, position);
      encode_words(text.substr(position, special.position - position), sink);
      position = special.position + special.size;
      if (special.size == 0) continue;
      sink.add(std::span(&special.id, 1));
      if (sink.wants_ranges())
        sink.add_range(text.data() + special.position, text.data() + position);
    }
    sink.finish();
    ids.push_back(vocabulary.special().sep);
    if (ranges != nullptr) ranges->emplace_back();
    return Encoding{.tokens = static_cast<std::uint64_t>(sink.count() + num_special_tokens),
                    .truncated = sink.truncated()};
  } catch (const std::bad_alloc&) {
    ids.resize(old_ids);
    if (ranges != nullptr) ranges->resize(old_ranges);
    return fail(ErrorCode::out_of_memory, fmt::format("tokens of a text of {} bytes", text.size()));
  }
}

void TokenizerWorker::encode_words(std::string_view text, TokenSink& sink) {
  const Normalizer& normalizer = tokenizer_->normalizer();
  const bool lower_case = normalizer.lower_case();
  for (std::size_t position = 0; position < text.size();) {
    // A short ASCII word that was met before needs no more than this.
    AsciiWord ascii{{static_cast<std::uint8_t>(text[position]), 0}, 1};
    bool whole = false;
    switch (tokenizer_->byte_class(text[position])) {
      case CharacterClass::space:
        ++position;
        continue;
      case CharacterClass::alone:
        whole = true;
        break;
      case CharacterClass::word: {
        ascii = read_ascii_word(text.data() + position, text.size() - position, lower_case);
        const std::size_t end = position + ascii.size;
        whole =
            ascii.size < ShortWord::max_size &&
            (end == text.size() || tokenizer_->byte_class(text[end]) != CharacterClass::dropped);
        break;
      }
      case CharacterClass::dropped:
        break;
    }
    if (whole) [[likely]] {
      const WordCache::Entry& entry = cache_[ascii.word];
      if (entry.word == ascii.word) [[likely]] {
        sink.add(entry);
        if (sink.wants_ranges()) {
          add_ranges(text.substr(position, ascii.size), entry.found(), sink);
        }
        position += ascii.size;
        continue;
      }
    }
    const std::size_t begin = position;
    if (!next_word(normalizer, text, position, word_)) break;
    const std::span<const std::int32_t> ids = encode_word(sink);
    if (sink.wants_ranges()) add_ranges(text.substr(begin, position - begin), ids, sink);
  }
}

std::span<const std::int32_t> TokenizerWorker::encode_word(TokenSink& sink) {
  const bool is_short = !word_.too_long() && word_.text().size() <= ShortWord::max_size;
  const ShortWord word = is_short ? short_word(word_.text()) : ShortWord{};
  WordCache::Entry& entry = cache_[word];
  if (is_short && entry.word == word) {
    sink.add(entry);
    return entry.found();
  }
  const std::size_t count = wordpiece(tokenizer_->vocabulary(), word_, pieces_);
  sink.add(std::span(pieces_.data(), count));
  if (is_short && count <= WordCache::max_ids) {
    entry.word = word;
    entry.num_ids = static_cast<std::uint32_t>(count);
    std::ranges::copy_n(pieces_.begin(), count, entry.ids.begin());
  }
  return std::span(pieces_.data(), count);
}

void TokenizerWorker::add_ranges(std::string_view text, std::span<const std::int32_t> ids,
                                 TokenSink& sink) const {
  const Normalizer& normalizer = tokenizer_->normalizer();
  const char* const text_end = text.data() + text.size();
  const char* begin = nullptr;  // of the token that is under way
  const char* end = nullptr;    // of the last character that is in the word
  std::size_t normalized = 0;   // bytes of the word so far
  std::size_t token_end = 0;    // of the first of `ids`, in bytes of the word
  const auto take_next = [&] {
    token_end += Vocabulary::piece_size(tokenizer_->vocabulary().token(ids.front()));
  };
  take_next();
  for (const char* at = text.data(); at < text_end;) {
    const DecodedCodePoint decoded = decode_utf8(at, text_end);
    const char* const character = std::exchange(at, at + decoded.size);
    const NormalizedCharacter& kept = normalizer[decoded.code_point];
    if (kept.size == 0) continue;
    if (begin == nullptr) begin = character;
    end = at;
    normalized += kept.size;
    // The last token has what is left, so that an unknown one, which is alone, has the whole word.
    for (; ids.size() > 1 && normalized >= token_end; ids = ids.subspan(1), take_next()) {
      sink.add_range(begin, end);
      begin = normalized > token_end ? character : nullptr;
    }
  }
  sink.add_range(begin, end);
}

}  // namespace embd
