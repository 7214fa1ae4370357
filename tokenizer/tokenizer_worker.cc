#include "tokenizer/tokenizer_worker.h"

#include <fmt/format.h>

#include <concepts>
#include <new>
#include <span>

#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

Result<void> check_utf8(std::string_view text, std::string_view what) {
  const std::optional<std::size_t> bad = find_invalid_utf8(text);
  if (!bad) return {};
  return fail_at(*bad, ErrorCode::invalid_utf8,
                 "byte {:#04x} of the {} is not part of a character in UTF-8",
                 static_cast<unsigned>(static_cast<std::uint8_t>(text[*bad])), what);
}

/// The largest size of a first text that is kept, in order to compare it with the first text of the
/// next pair.
constexpr std::size_t longest_kept_text = std::size_t{64} << 10;

bool has_room(const TextOptions& options, std::size_t num_special) noexcept {
  return options.max_length == 0 || options.max_length >= num_special;
}

std::unexpected<Error> no_room(const TextOptions& options, std::size_t num_special) {
  return fail(ErrorCode::invalid_argument,
              "max_length is {}, which leaves no room for the {} special tokens",
              options.max_length, num_special);
}

/// Returns the limit for the tokens of texts, for which the special tokens leave room.
TokenLimit limit_of(const TextOptions& options, std::size_t num_special) noexcept {
  if (options.max_length == 0) return {};
  return {.tokens = options.max_length - static_cast<std::int64_t>(num_special),
          .side = options.truncation_side};
}

/// Returns the `count` values of a part that are kept. `values` has at least so many, from the side
/// that is not cut off.
template <class Value>
std::span<const Value> kept_of(const std::vector<Value>& values, std::int64_t count,
                               TruncationSide cut_side) {
  const std::span<const Value> all = values;
  const auto size = static_cast<std::size_t>(count);
  return cut_side == TruncationSide::left ? all.last(size) : all.first(size);
}

}  // namespace

/// The tokens that one call appends.
class TokenizerWorker::Appending {
 public:
  explicit Appending(const TokenOutput& out)
      : out_(out),
        ids_(out.ids->size()),
        types_(out.types == nullptr ? 0 : out.types->size()),
        ranges_(out.ranges == nullptr ? 0 : out.ranges->size()) {}

  bool wants_ranges() const noexcept { return out_.ranges != nullptr; }

  void add_special(const std::vector<std::int32_t>& ids) {
    for (const std::int32_t id : ids) out_.ids->push_back(id);
    if (wants_ranges()) out_.ranges->resize(out_.ranges->size() + ids.size());
  }
  void add(std::span<const std::int32_t> ids, std::span<const ByteRange> ranges) {
    out_.ids->insert(out_.ids->end(), ids.begin(), ids.end());
    if (wants_ranges()) out_.ranges->insert(out_.ranges->end(), ranges.begin(), ranges.end());
  }
  /// Gives the type `type` to all tokens that have no type yet.
  void set_type(std::uint8_t type) {
    if (out_.types != nullptr) out_.types->resize(types_ + out_.ids->size() - ids_, type);
  }

  /// Calls `append`. If it fails, or if there is no memory, removes everything that was appended.
  Result<void> run(std::size_t text_bytes, const std::invocable auto& append) {
    try {
      Result<void> appended = append();
      if (!appended) [[unlikely]]
        take_back();
      return appended;
    } catch (const std::bad_alloc&) {
      take_back();
      return fail(ErrorCode::out_of_memory,
                  "there is not enough memory for the tokens of a text of {} bytes", text_bytes);
    }
  }

 private:
  void take_back() noexcept {
    out_.ids->resize(ids_);
    if (out_.types != nullptr) out_.types->resize(types_);
    if (wants_ranges()) out_.ranges->resize(ranges_);
  }

  const TokenOutput& out_;
  const std::size_t ids_;
  const std::size_t types_;
  const std::size_t ranges_;
};

Result<Encoding> TokenizerWorker::encode(std::string_view text, const TextOptions& options,
                                         const TokenOutput& out) {
  if (options.strict_utf8) {
    EMBD_TRY(check_utf8(options.prompt, "prompt"));
    EMBD_TRY(check_utf8(text, "text"));
  }
  const std::size_t num_special = template_.num_special();
  if (!has_room(options, num_special)) return no_room(options, num_special);
  Encoding encoding;
  Appending appending(out);
  EMBD_TRY(appending.run(text.size(), [&]() -> Result<void> {
    appending.add_special(template_.before);
    EMBD_TRY(append_plain(text, options.prompt, limit_of(options, num_special), out, encoding));
    appending.add_special(template_.after);
    appending.set_type(0);
    encoding.tokens += num_special;
    return {};
  }));
  return encoding;
}

Result<Encoding> TokenizerWorker::encode_plain(std::string_view text, std::string_view prompt,
                                               const TokenOutput& out) {
  Encoding encoding;
  Appending appending(out);
  EMBD_TRY(appending.run(text.size(), [&]() -> Result<void> {
    EMBD_TRY(append_plain(text, prompt, {}, out, encoding));
    appending.set_type(0);
    return {};
  }));
  return encoding;
}

Result<Encoding> TokenizerWorker::encode(const TextPair& pair, const TextOptions& options,
                                         const TokenOutput& out) {
  if (options.strict_utf8) {
    EMBD_TRY(check_utf8(options.prompt, "prompt"));
    EMBD_TRY(check_utf8(pair.first, "first text"));
    EMBD_TRY(check_utf8(pair.second, "second text"));
  }
  const std::size_t num_special = template_.num_special_of_pair();
  if (!has_room(options, num_special)) return no_room(options, num_special);
  Encoding encoding;
  Appending appending(out);
  EMBD_TRY(appending.run(pair.first.size() + pair.second.size(),
                         [&] { return append_pair(pair, options, appending, encoding); }));
  return encoding;
}

Result<void> TokenizerWorker::append_pair(const TextPair& pair, const TextOptions& options,
                                          Appending& out, Encoding& encoding) {
  const TokenLimit limit = limit_of(options, template_.num_special_of_pair());
  EMBD_TRY(read_first(pair.first, options.prompt, limit, out.wants_ranges()));
  EMBD_TRY(read_part(pair.second, {}, limit, out.wants_ranges(), second_));
  const PairLengths whole = {first_.count, second_.count};
  const PairLengths kept = cut_longest_first(whole, limit.tokens);
  const auto add = [&](const Part& part, std::int64_t count) {
    out.add(kept_of(part.ids, count, limit.side), out.wants_ranges()
                                                      ? kept_of(part.ranges, count, limit.side)
                                                      : std::span<const ByteRange>());
  };
  out.add_special(template_.before);
  add(first_, kept.first);
  out.add_special(template_.between);
  out.set_type(0);
  add(second_, kept.second);
  out.add_special(template_.after);
  out.set_type(template_.second_type);
  encoding = {.tokens = static_cast<std::uint64_t>(whole.first + whole.second) +
                        template_.num_special_of_pair(),
              .truncated = kept != whole,
              .first = static_cast<std::size_t>(kept.first)};
  return {};
}

Result<void> TokenizerWorker::read_part(std::string_view text, std::string_view prompt,
                                        const TokenLimit& limit, bool with_ranges, Part& part) {
  part.ids.clear();
  part.ranges.clear();
  const TokenOutput out = {.ids = &part.ids, .ranges = with_ranges ? &part.ranges : nullptr};
  Encoding encoding;
  EMBD_TRY(append_plain(text, prompt, limit, out, encoding));
  part.count = static_cast<std::int64_t>(encoding.tokens);
  return {};
}

Result<void> TokenizerWorker::read_first(std::string_view text, std::string_view prompt,
                                         const TokenLimit& limit, bool with_ranges) {
  const auto& source = source_of_first_;
  if (source && source->text == text && source->prompt == prompt && source->limit == limit &&
      source->with_ranges == with_ranges)
    return {};
  source_of_first_.reset();
  EMBD_TRY(read_part(text, prompt, limit, with_ranges, first_));
  if (text.size() <= longest_kept_text)
    source_of_first_ = {std::string(text), std::string(prompt), limit, with_ranges};
  return {};
}

Result<void> TokenizerWorker::append_plain(std::string_view text, std::string_view prompt,
                                           const TokenLimit& limit, const TokenOutput& out,
                                           Encoding& encoding) {
  if (!prompt.empty()) {
    joined_.assign(prompt).append(text);
    text = joined_;
  }
  TokenSink sink(limit, *out.ids, out.ranges, text.data() + prompt.size());
  EMBD_TRY(text_tokenizer_->tokenize(text, sink));
  sink.finish();
  encoding = {.tokens = static_cast<std::uint64_t>(sink.count()),
              .truncated = sink.truncated(),
              .first = static_cast<std::size_t>(std::min(sink.count(), limit.tokens))};
  return {};
}

Result<Tokens> TokenizerWorker::tokenize(std::string_view text, const TextOptions& options) {
  Tokens tokens;
  note(EMBD_TRY(encode(text, options, {&tokens.ids, &tokens.types, &tokens.ranges})), tokens);
  return tokens;
}

Result<Tokens> TokenizerWorker::tokenize(const TextPair& pair, const TextOptions& options) {
  Tokens tokens;
  note(EMBD_TRY(encode(pair, options, {&tokens.ids, &tokens.types, &tokens.ranges})), tokens);
  tokens.second = {tokens.first.end + template_.between.size(),
                   tokens.ids.size() - template_.after.size()};
  return tokens;
}

void TokenizerWorker::note(const Encoding& encoding, Tokens& tokens) const noexcept {
  const std::size_t begin = template_.before.size();
  tokens.first = {begin, begin + encoding.first};
  tokens.whole_length = encoding.tokens;
  tokens.truncated = encoding.truncated;
}

}  // namespace embd
