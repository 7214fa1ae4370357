#include "engine/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/try.h"

namespace embd {
namespace {

std::span<float> row_of(const Block& block, std::size_t row, const Head& head) {
  return block.buffer.rows.subspan(row * head.width(), head.width());
}

/// Fails with bad_value for a value that is infinite or not a number. The weights of a damaged
/// model can be finite and still make such values. `text` is the number of the text, from 0.
Result<void> check_finite(std::span<const float> values, std::uint64_t text) {
  // Without their signs, the bits of finite floats are less than those of infinity.
  constexpr std::int32_t infinity = 0x7F800000;
  std::int32_t most = 0;
  for (const float value : values)
    most = std::max(most, std::bit_cast<std::int32_t>(value) & 0x7FFFFFFF);
  if (most < infinity) return {};
  const auto bad = std::ranges::find_if_not(values, [](float v) { return std::isfinite(v); });
  return std::unexpected(
      Error(ErrorCode::bad_value,
            fmt::format("the model computes {} as value {} for this text, expected a finite "
                        "number: its weights are damaged, or too large",
                        std::isnan(*bad) ? "NaN" : "infinity", bad - values.begin()))
          .at_line(text + 1));
}

}  // namespace

Result<Report> Worker::encode(const Block& block, const RunPlan& plan, const Head& head,
                              RowCache* known) {
  Report report;
  clear();
  for (const std::size_t row : block.rows) {
    const RowReport text = EMBD_TRY(append(block.buffer.inputs[row], plan));
    if (!block.buffer.reports.empty()) block.buffer.reports[row] = text;
    ++report.rows;
    report.tokens += static_cast<std::uint64_t>(texts_.lengths.back());
    report.truncated_rows += text.truncated ? 1 : 0;
    if (known != nullptr && is_repeated(row, row_of(block, row, head), *known)) {
      ++report.repeated_rows;
      continue;
    }
    rows_.push_back(row);
    if (texts_.tokens() >= plan.batch_tokens) EMBD_TRY(flush(block, head, known));
  }
  if (!rows_.empty()) EMBD_TRY(flush(block, head, known));
  return report;
}

bool Worker::is_repeated(std::size_t row, std::span<float> values, RowCache& known) {
  const auto length = static_cast<std::size_t>(texts_.lengths.back());
  const auto types = std::span<const std::uint8_t>(texts_.types).last(length);
  const auto ids = std::span<const std::int32_t>(texts_.ids).last(length);
  const RowCache::Key key = RowCache::key(as_text(std::as_bytes(types)), std::as_bytes(ids));
  const auto pending = rows_by_key_.find(key);
  if (pending != rows_by_key_.end()) {
    copies_.push_back({row, pending->second});
  } else if (!known.find(key, values)) {
    keys_.push_back(key);
    rows_by_key_.emplace(key, row);
    return false;
  }
  drop_last_text();
  return true;
}

void Worker::drop_last_text() noexcept {
  texts_.ids.resize(texts_.ids.size() - static_cast<std::size_t>(texts_.lengths.back()));
  texts_.types.resize(texts_.ids.size());
  texts_.lengths.pop_back();
}

void Worker::clear() noexcept {
  texts_.clear();
  rows_.clear();
  keys_.clear();
  rows_by_key_.clear();
  copies_.clear();
}

Result<MatrixView> Worker::encode_tokens(const Input& input, const RunPlan& plan,
                                         const std::stop_token& stop) {
  texts_.clear();
  EMBD_TRY(append(input, plan));
  body_.forward(texts_, activations_, 1, stop);
  if (stop.stop_requested()) return fail_stopped();
  const MatrixView rows(activations_.hidden(), texts_.ids.size(), body_.hidden());
  EMBD_TRY(check_finite(rows.values(), 0));
  return rows;
}

Result<RowReport> Worker::append(const Input& input, const RunPlan& plan) {
  const std::size_t before = texts_.ids.size();
  const TokenOutput out = {&texts_.ids, &texts_.types};
  Encoding encoding;
  if (const auto* text = std::get_if<std::string_view>(&input)) {
    encoding = EMBD_TRY(tokenizer_.encode(*text, plan.text, out));
  } else if (const auto* pair = std::get_if<TextPair>(&input)) {
    encoding = EMBD_TRY(tokenizer_.encode(*pair, plan.text, out));
  } else {
    encoding = append_tokens(std::get<TokenSpan>(input), plan.text);
  }
  texts_.lengths.push_back(static_cast<std::int64_t>(texts_.ids.size() - before));
  return RowReport{
      .tokens = static_cast<std::uint32_t>(std::min<std::uint64_t>(encoding.tokens, UINT32_MAX)),
      .truncated = encoding.truncated};
}

Encoding Worker::append_tokens(const TokenSpan& tokens, const TextOptions& options) {
  const std::size_t whole = tokens.ids.size();
  const std::size_t kept = std::min<std::size_t>(whole, options.max_length);
  const TokenTemplate& special = tokenizer_.special_tokens();
  // Tokens are left out after the special tokens at the beginning, or before the special tokens at
  // the end.
  const std::size_t cut_at = options.truncation_side == TruncationSide::left
                                 ? special.before.size()
                                 : kept - special.after.size();
  const auto append = [&](auto& values, const auto& all) {
    const auto first = kept < whole ? all.first(cut_at) : all;
    const auto last = kept < whole ? all.last(kept - cut_at) : all.first(0);
    values.insert(values.end(), first.begin(), first.end());
    values.insert(values.end(), last.begin(), last.end());
  };
  append(texts_.ids, tokens.ids);
  if (tokens.types.empty()) {
    texts_.types.resize(texts_.ids.size());
  } else {
    append(texts_.types, tokens.types);
  }
  return {.tokens = whole, .truncated = kept < whole};
}

Result<void> Worker::flush(const Block& block, const Head& head, RowCache* known) {
  body_.forward(texts_, activations_, block.threads, block.stop);
  if (block.stop.stop_requested()) return fail_stopped();
  const float* hidden = activations_.hidden();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto seq_len = static_cast<std::size_t>(texts_.lengths[i]);
    const std::span<float> row = row_of(block, rows_[i], head);
    head.apply({hidden, seq_len, body_.hidden()}, scratch_, row);
    EMBD_TRY(check_finite(row, block.buffer.text_number(rows_[i])));
    hidden += seq_len * body_.hidden();
    if (known != nullptr) known->insert(keys_[i], row);
  }
  for (const Copy& copy : copies_)
    std::ranges::copy(row_of(block, copy.from, head), row_of(block, copy.row, head).begin());
  clear();
  return {};
}

}  // namespace embd
