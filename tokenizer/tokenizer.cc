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

/// Counts all ids and appends those that are within the limit.
class IdSink {
 public:
  IdSink(std::vector<std::int32_t>& ids, std::uint64_t limit) : ids_(ids), room_(limit) {}

  void add(std::span<const std::int32_t> ids) {
    count_ += ids.size();
    const std::size_t kept = std::min<std::uint64_t>(ids.size(), room_);
    ids_.insert(ids_.end(), ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept));
    room_ -= kept;
  }
  std::uint64_t count() const noexcept { return count_; }

 private:
  std::vector<std::int32_t>& ids_;
  std::uint64_t room_;
  std::uint64_t count_ = 0;
};

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

Tokenizer::Tokenizer(Vocabulary vocabulary, const TokenizerOptions& options)
    : vocabulary_(std::move(vocabulary)),
      special_tokens_(vocabulary_),
      normalizer_(std::make_unique<Normalizer>(options.lower_case)) {}

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
      const std::string_view plain = text.substr(0, special.position);
      while (next_word(tokenizer_->normalizer(), plain, position, word_)) {
        sink.add(std::span(pieces_.data(), wordpiece(vocabulary, word_, pieces_)));
      }
      if (special.size > 0) sink.add(std::span(&special.id, 1));
      position = special.position + special.size;
    }
    ids.push_back(vocabulary.special().sep);
    return Encoding{.tokens = sink.count() + 2, .truncated = sink.count() > limit};
  } catch (const std::bad_alloc&) {
    ids.resize(old_size);
    return fail(ErrorCode::out_of_memory, fmt::format("tokens of a text of {} bytes", text.size()));
  }
}

}  // namespace embd
