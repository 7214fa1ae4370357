#include "tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <span>

#include "base/byte_writer.h"
#include "base/checksum.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

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

/// Counts all ids and appends those within the limit.
class TokenizerWorker::IdSink {
 public:
  IdSink(std::vector<std::int32_t>& ids, std::uint64_t limit) : ids_(ids), limit_(limit) {}

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
  /// To be called at the end, once.
  void flush() {
    const auto kept = std::min<std::uint64_t>(used_, limit_ - std::min(limit_, count_));
    ids_.insert(ids_.end(), buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(kept));
    count_ += used_;
    used_ = 0;
  }
  std::uint64_t count() const noexcept { return count_; }

 private:
  std::vector<std::int32_t>& ids_;
  std::uint64_t limit_;
  std::uint64_t count_ = 0;
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
                                         std::vector<std::int32_t>& ids) {
  if (options.max_length == 1) {
    return fail(ErrorCode::invalid_argument, "max_length 1 has no room for [CLS] and [SEP]");
  }
  if (options.strict_utf8) {
    EMBD_TRY(check_utf8(options.prompt, "prompt"));
    EMBD_TRY(check_utf8(text, "text"));
  }
  const std::size_t old_size = ids.size();
  try {
    if (!options.prompt.empty()) {
      joined_.assign(options.prompt).append(text);
      text = joined_;
    }
    const Vocabulary& vocabulary = tokenizer_->vocabulary();
    const SpecialTokenFinder& special_tokens = tokenizer_->special_tokens();
    const std::uint64_t limit = options.max_length == 0 ? std::numeric_limits<std::uint64_t>::max()
                                                        : options.max_length - 2;
    IdSink sink(ids, limit);
    ids.push_back(vocabulary.special().cls);
    for (std::size_t position = 0; position < text.size();) {
      const SpecialTokenFinder::Found special = special_tokens.find(text, position);
      encode_words(text.substr(position, special.position - position), sink);
      if (special.size > 0) sink.add(std::span(&special.id, 1));
      position = special.position + special.size;
    }
    sink.flush();
    ids.push_back(vocabulary.special().sep);
    return Encoding{.tokens = sink.count() + 2, .truncated = sink.count() > limit};
  } catch (const std::bad_alloc&) {
    ids.resize(old_size);
    return fail(ErrorCode::out_of_memory, fmt::format("tokens of a text of {} bytes", text.size()));
  }
}

void TokenizerWorker::encode_words(std::string_view text, IdSink& sink) {
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
        position += ascii.size;
        continue;
      }
    }
    if (!next_word(normalizer, text, position, word_)) break;
    encode_word(sink);
  }
}

void TokenizerWorker::encode_word(IdSink& sink) {
  const bool is_short = !word_.too_long() && word_.text().size() <= ShortWord::max_size;
  const ShortWord word = is_short ? short_word(word_.text()) : ShortWord{};
  WordCache::Entry& entry = cache_[word];
  if (is_short && entry.word == word) return sink.add(entry);

  const std::size_t count = wordpiece(tokenizer_->vocabulary(), word_, pieces_);
  sink.add(std::span(pieces_.data(), count));
  if (is_short && count <= WordCache::max_ids) {
    entry.word = word;
    entry.num_ids = static_cast<std::uint32_t>(count);
    std::ranges::copy_n(pieces_.begin(), count, entry.ids.begin());
  }
}

}  // namespace embd
