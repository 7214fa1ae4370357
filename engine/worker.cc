#include "engine/worker.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "engine/heads/pooling.h"

namespace embd {
namespace {

TextOptions text_options(const EncodePlan& plan) {
  return {.max_length = static_cast<std::uint32_t>(plan.max_length),
          .truncation_side = plan.truncation_side,
          .strict_utf8 = plan.strict_utf8,
          .prompt = plan.prompt};
}

std::span<float> row_of(const Block& block, std::size_t row, const EncodePlan& plan) {
  return block.window.rows.subspan(row * plan.dim, plan.dim);
}

}  // namespace

Result<Report> Worker::encode(const Block& block, const EncodePlan& plan, RowCache* known) {
  Report report;
  clear();
  for (const std::size_t row : block.rows) {
    const RowReport text = EMBD_TRY(append(block.window.texts[row], plan));
    if (!block.window.reports.empty()) block.window.reports[row] = text;
    ++report.rows;
    report.tokens += static_cast<std::uint64_t>(texts_.lengths.back());
    report.truncated_rows += text.truncated ? 1 : 0;
    if (known != nullptr && is_repeated(row, block, plan, *known)) {
      ++report.repeated_rows;
      continue;
    }
    rows_.push_back(row);
    if (texts_.tokens() >= plan.batch_tokens) EMBD_TRY(flush(block, plan, known));
  }
  if (!rows_.empty()) EMBD_TRY(flush(block, plan, known));
  return report;
}

bool Worker::is_repeated(std::size_t row, const Block& block, const EncodePlan& plan,
                         RowCache& known) {
  const auto length = static_cast<std::size_t>(texts_.lengths.back());
  const auto ids = std::span<const std::int32_t>(texts_.ids).last(length);
  const RowCache::Key key = RowCache::key({}, std::as_bytes(ids));
  const auto pending = rows_by_key_.find(key);
  if (pending != rows_by_key_.end()) {
    copies_.push_back({row, pending->second});
  } else if (!known.find(key, row_of(block, row, plan))) {
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

Result<MatrixView> Worker::encode_tokens(std::string_view text, const EncodePlan& plan) {
  EMBD_TRY(tokenize(text, plan));
  encoder_.forward(texts_, activations_);
  return MatrixView(activations_.hidden(), texts_.ids.size(), encoder_.hidden());
}

Result<RowReport> Worker::tokenize(std::string_view text, const EncodePlan& plan) {
  texts_.clear();
  return append(text, plan);
}

Result<Tokens> Worker::locate_tokens(std::string_view text, const EncodePlan& plan) {
  return tokenizer_.tokenize(text, text_options(plan));
}

RowReport Worker::append_ids(std::string_view bytes, const EncodePlan& plan) {
  const std::size_t whole = bytes.size() / sizeof(std::int32_t);
  texts_.ids.resize(texts_.ids.size() + whole);
  std::memcpy(texts_.ids.data() + texts_.ids.size() - whole, bytes.data(), bytes.size());
  const std::size_t kept = std::min(whole, static_cast<std::size_t>(plan.max_length));
  const auto num_cut = static_cast<std::ptrdiff_t>(whole - kept);
  const auto cut = plan.truncation_side == TruncationSide::left
                       ? texts_.ids.end() - static_cast<std::ptrdiff_t>(whole) + 1
                       : texts_.ids.end() - 1 - num_cut;
  if (num_cut > 0) texts_.ids.erase(cut, cut + num_cut);
  texts_.types.resize(texts_.ids.size());
  texts_.lengths.push_back(static_cast<std::int64_t>(kept));
  return {.tokens = static_cast<std::uint32_t>(std::min<std::size_t>(whole, UINT32_MAX)),
          .truncated = num_cut > 0};
}

Result<RowReport> Worker::append(std::string_view text, const EncodePlan& plan) {
  if (plan.tokenized) return append_ids(text, plan);
  const std::size_t before = texts_.ids.size();
  const Encoding encoding =
      EMBD_TRY(tokenizer_.encode(text, text_options(plan), {&texts_.ids, &texts_.types}));
  texts_.lengths.push_back(static_cast<std::int64_t>(texts_.ids.size() - before));
  return RowReport{
      .tokens = static_cast<std::uint32_t>(std::min<std::uint64_t>(encoding.tokens, UINT32_MAX)),
      .truncated = encoding.truncated};
}

Result<void> Worker::flush(const Block& block, const EncodePlan& plan, RowCache* known) {
  encoder_.forward(texts_, activations_, block.threads, block.stop);
  if (block.stop.stop_requested()) return fail(ErrorCode::cancelled, "stopped");
  const float* hidden = activations_.hidden();
  pooled_.resize(plan.pooled_dim > plan.dim ? plan.pooled_dim : 0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const std::span<float> row = row_of(block, rows_[i], plan);
    pool(hidden, texts_.lengths[i], static_cast<std::int64_t>(encoder_.hidden()), plan.pooling,
         plan.normalize, pooled_.empty() ? row : std::span(pooled_));
    if (!pooled_.empty()) std::copy_n(pooled_.begin(), plan.dim, row.begin());
    hidden += texts_.lengths[i] * static_cast<std::int64_t>(encoder_.hidden());
    if (known != nullptr) known->insert(keys_[i], row);
  }
  for (const Copy& copy : copies_) {
    std::ranges::copy(row_of(block, copy.from, plan), row_of(block, copy.row, plan).begin());
  }
  clear();
  return {};
}

}  // namespace embd
