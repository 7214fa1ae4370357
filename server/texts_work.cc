#include "server/texts_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/bytes.h"
#include "base/guard.h"
#include "base/row_cache.h"
#include "server/json_answer.h"
#include "server/service.h"

namespace embd::server {
namespace {

/// Smaller slices would share out a small request among more workers, and take longer in all.
constexpr std::uint64_t least_slice_tokens = 128;
constexpr std::size_t most_slice_rows = 128;

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// What of the options a vector depends on.
std::string fingerprint(const EncodeOptions& options) {
  const auto text = [](const auto& value) {
    return value ? fmt::to_string(static_cast<int>(*value)) : std::string("-");
  };
  return fmt::format("{}/{}/{}/{}/{}/{}/{}", text(options.max_length),
                     text(options.truncation_side), text(options.pooling), text(options.normalize),
                     options.truncate_dim, options.prompt_name, options.prompt.value_or(""));
}

/// Without what is for text alone: a prompt has no place among ids.
EncodeOptions of_ids(EncodeOptions options) {
  options.prompt.reset();
  options.prompt_name.clear();
  return options;
}

class TextsWork final : public Work {
 public:
  TextsWork(Service& service, Call call, TextsRequest request)
      : service_(service), call_(std::move(call)), request_(std::move(request)) {
    gone = call_->gone;
    deadline = call_->deadline;
  }

  /// Everything before the queue: counts tokens, looks up, cuts into slices.
  Answerable<void> prepare();
  Result<void> run(std::span<const Slice> slices) override;
  void end(Ending ending, const std::optional<Error>& error) noexcept override;

 private:
  struct Rows {
    std::size_t first;
    std::size_t end;
  };

  bool has_ids() const noexcept { return !request_.ids.empty(); }
  bool has_vectors() const noexcept { return request_.vectors.rows() > 0; }
  std::size_t size() const noexcept {
    if (has_vectors()) return request_.vectors.rows();
    return has_ids() ? request_.ids.size() : request_.texts.size();
  }
  Answerable<void> count_tokens();
  Answerable<void> count_text(std::size_t i);
  Answerable<void> count_ids(std::size_t i);
  void find_cached();
  void cut_slices();
  static Result<void> compute(std::span<const Slice> slices);
  Result<void> write(std::size_t slice);
  Result<void> write_tokens(Rows rows, std::string& out);
  std::span<float> row(std::size_t i) { return {rows_.data() + i * rows_.cols(), rows_.cols()}; }
  Failure too_long(std::size_t i, std::uint64_t tokens) const;
  Failure failure(Ending ending, const std::optional<Error>& error) const;
  void add_headers(Response& response) const;

  Service& service_;
  const Call call_;
  TextsRequest request_;
  MemoryBudget::Share memory_;
  Matrix rows_;
  std::vector<std::uint32_t> tokens_;  ///< of each text, after cuts
  std::vector<RowCache::Key> keys_;
  std::vector<char> cached_;
  std::vector<Rows> slices_;
  Embedded embedded_;
  Clock::duration tokenizing_{};
};

Answerable<void> TextsWork::count_tokens() {
  const Clock::time_point start = Clock::now();
  const Limits& limits = service_.limits();
  tokens_.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    EMBD_TRY(has_ids() ? count_ids(i) : count_text(i));
    embedded_.tokens += tokens_.back();
    if (embedded_.tokens > limits.request_tokens) {
      return refuse(Problem::too_many_tokens,
                    fmt::format("the texts have more than {} tokens together; the limit is {} a "
                                "request",
                                embedded_.tokens, limits.request_tokens));
    }
  }
  tokenizing_ = Clock::now() - start;
  return {};
}

Failure TextsWork::too_long(std::size_t i, std::uint64_t tokens) const {
  const Model& model = service_.model();
  return {Problem::text_too_long,
          fmt::format("text {} has {} tokens; the model takes {}, and truncating was refused", i,
                      tokens, request_.options.max_length.value_or(model.max_length()))};
}

Answerable<void> TextsWork::count_text(std::size_t i) {
  const auto tokens = service_.model().tokenize(request_.texts[i], request_.options);
  if (!tokens) return std::unexpected(failure_of(tokens.error()));
  tokens_.push_back(static_cast<std::uint32_t>(tokens->ids.size()));
  if (!tokens->truncated) return {};
  if (!request_.truncate) return std::unexpected(too_long(i, tokens->whole_length));
  embedded_.truncated.push_back(static_cast<std::uint32_t>(i));
  return {};
}

Answerable<void> TextsWork::count_ids(std::size_t i) {
  const std::size_t whole = request_.ids[i].size();
  const std::size_t most = request_.options.max_length.value_or(service_.model().max_length());
  tokens_.push_back(static_cast<std::uint32_t>(std::min(whole, most)));
  if (whole <= most) return {};
  if (!request_.truncate) return std::unexpected(too_long(i, whole));
  embedded_.truncated.push_back(static_cast<std::uint32_t>(i));
  return {};
}

void TextsWork::find_cached() {
  cached_.assign(size(), 0);
  RowCache& cache = service_.cache();
  if (!cache.enabled() || request_.each_token || has_ids()) return;
  const std::string options = fingerprint(request_.options);
  keys_.reserve(cached_.size());
  for (std::size_t i = 0; i < cached_.size(); ++i) {
    keys_.push_back(RowCache::key(options, as_bytes(request_.texts[i])));
    cached_[i] = static_cast<char>(cache.find(keys_[i], row(i)));
    (cached_[i] != 0 ? service_.metrics().cache_hits : service_.metrics().cache_misses).add();
  }
}

void TextsWork::cut_slices() {
  const auto cost = [this](std::size_t i) {
    return (cached_[i] != 0 ? 0 : tokens_[i]) + request_.row_tokens;
  };
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) total += cost(i);
  const auto workers = static_cast<std::uint64_t>(std::max(1, service_.scheduler().workers()));
  const std::uint64_t most =
      std::clamp((total + workers - 1) / workers, least_slice_tokens, most_slice_tokens);
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (slices_.empty() || costs.back() + cost(i) > most ||
        slices_.back().end - slices_.back().first == most_slice_rows) {
      slices_.push_back({i, i});
      costs.push_back(0);
    }
    slices_.back().end = i + 1;
    costs.back() += cost(i);
  }
  embedded_.parts.resize(slices_.size());
}

Answerable<void> TextsWork::prepare() {
  const std::size_t dim =
      request_.options.truncate_dim != 0 ? request_.options.truncate_dim : service_.model().dim();
  if (dim > service_.model().dim()) {
    return refuse(
        Problem::invalid,
        fmt::format("{} dimensions asked for; the model has {}", dim, service_.model().dim()),
        "dimensions");
  }
  if (!has_vectors()) EMBD_TRY(count_tokens());
  const std::size_t answer = (request_.each_token ? embedded_.tokens : size()) * request_.row_bytes;
  if (answer > service_.limits().answer_bytes) {
    return refuse(Problem::answer_too_large,
                  fmt::format("the answer may have {} bytes; the limit is {}", answer,
                              service_.limits().answer_bytes));
  }
  auto memory = service_.memory().take(answer + size() * dim * sizeof(float));
  if (!memory)
    return std::unexpected(Failure{Problem::overloaded, "too many answers are under way", {}, 1});
  memory_ = std::move(*memory);
  if (has_vectors()) {
    tokens_.assign(size(), 0);
    cached_.assign(size(), 1);
    rows_ = request_.vectors;
  } else {
    rows_ = Matrix(request_.each_token ? 0 : size(), dim);
    find_cached();
  }
  cut_slices();
  if (!request_.each_token && !has_vectors())
    kind = fmt::format("{} {}", has_ids() ? "ids" : "texts", fingerprint(request_.options));
  return {};
}

/// The rows that were not cached, of works of one kind.
Result<void> TextsWork::compute(std::span<const Slice> slices) {
  struct Place {
    TextsWork& work;
    std::size_t i;
  };
  std::vector<std::string_view> texts;
  std::vector<std::span<const std::int32_t>> ids;
  std::vector<Place> places;
  for (const auto& [slice_work, index] : slices) {
    auto& work = static_cast<TextsWork&>(*slice_work);
    for (std::size_t i = work.slices_[index].first; i < work.slices_[index].end; ++i) {
      if (work.cached_[i] != 0) continue;
      work.has_ids() ? void(ids.emplace_back(work.request_.ids[i]))
                     : void(texts.emplace_back(work.request_.texts[i]));
      places.push_back({work, i});
    }
  }
  if (places.empty()) return {};
  TextsWork& any = places.front().work;
  EncodeOptions options = any.request_.options;
  options.threads = 1;
  options.batch_tokens = most_slice_tokens;
  Matrix computed(places.size(), any.rows_.cols());
  const Model& model = any.service_.model();
  EMBD_TRY(any.has_ids() ? model.encode_ids(ids, computed.values(), {}, of_ids(options))
                         : model.encode(texts, computed.values(), {}, options));
  std::uint64_t tokens = 0;
  for (std::size_t n = 0; n < places.size(); ++n) {
    const auto& [work, i] = places[n];
    std::ranges::copy(computed.row(n), work.row(i).begin());
    if (!work.keys_.empty()) any.service_.cache().insert(work.keys_[i], computed.row(n));
    tokens += work.tokens_[i];
  }
  any.service_.metrics().texts.add(places.size());
  any.service_.metrics().tokens.add(tokens);
  return {};
}

/// A list of vectors a text.
Result<void> TextsWork::write_tokens(Rows rows, std::string& out) {
  for (std::size_t i = rows.first; i < rows.end; ++i) {
    const Matrix tokens =
        EMBD_TRY(service_.model().encode_tokens(request_.texts[i], request_.options));
    out += i == 0 ? "[" : ",[";
    for (std::size_t token = 0; token < tokens.rows(); ++token) {
      if (token != 0) out += ',';
      append_json_floats(tokens.row(token), out);
    }
    out += ']';
  }
  return {};
}

/// The slice's part of the answer.
Result<void> TextsWork::write(std::size_t slice) {
  const auto [first, end] = slices_[slice];
  std::string& out = embedded_.parts[slice];
  out.clear();
  if (request_.each_token) return write_tokens(slices_[slice], out);
  if (!request_.write_row) return {};
  out.reserve((end - first) * (request_.row_bytes + 1));
  for (std::size_t i = first; i < end; ++i) {
    if (i != 0) out += ',';
    EMBD_TRY(request_.write_row(i, row(i), out));
  }
  return {};
}

Result<void> TextsWork::run(std::span<const Slice> slices) {
  if (!request_.each_token) EMBD_TRY(compute(slices));
  for (const auto& [work, index] : slices) EMBD_TRY(static_cast<TextsWork&>(*work).write(index));
  return {};
}

Failure TextsWork::failure(Ending ending, const std::optional<Error>& error) const {
  if (ending == Ending::failed && error) return failure_of(*error);
  if (ending == Ending::late)
    return {Problem::late, "the request's time was over before its turn came", {}, 1};
  return {Problem::gone, "the client went away"};
}

void TextsWork::add_headers(Response& response) const {
  std::size_t characters = 0;
  for (const auto& text : request_.texts) characters += text.size();
  const auto add = [&](const char* name, auto value) {
    response.headers.add(name, fmt::format("{}", value));
  };
  const auto add_time = [&](const char* name, Clock::duration time) {
    response.headers.add(name, fmt::format("{:.3f}", milliseconds(time)));
  };
  add("x-compute-type", "cpu");
  add("x-compute-characters", characters);
  add("x-compute-tokens", embedded_.tokens);
  add_time("x-total-time", Clock::now() - call_->arrived);
  add_time("x-tokenization-time", tokenizing_);
  add_time("x-queue-time", time_in_queue());
  add_time("x-inference-time", time_of_workers());
  if (!embedded_.truncated.empty()) add("x-embd-truncated", embedded_.truncated.size());
}

void TextsWork::end(Ending ending, const std::optional<Error>& error) noexcept {
  const auto answered = guarded([&]() -> Result<void> {
    if (ending != Ending::done) {
      call_->fail(failure(ending, error));
      return {};
    }
    Metrics& metrics = service_.metrics();
    metrics.queue_seconds.observe(milliseconds(time_in_queue()) / 1000);
    metrics.model_seconds.observe(milliseconds(time_of_workers()) / 1000);
    metrics.truncated_texts.add(embedded_.truncated.size());
    Response headers;
    add_headers(headers);
    embedded_.rows = rows_;
    Response response = request_.finish(std::move(embedded_));
    response.memory = std::move(memory_);
    for (const auto& [name, value] : headers.headers) response.headers.add(name, value);
    call_->answer(std::move(response));
    return {};
  });
  if (!answered) call_->fail(failure_of(answered.error()));
}

}  // namespace

Answerable<void> embed_texts(Service& service, const Call& call, TextsRequest request) {
  const auto work = std::make_shared<TextsWork>(service, call, std::move(request));
  EMBD_TRY(work->prepare());
  if (const auto taken = service.scheduler().submit(work); !taken) {
    Failure full{Problem::overloaded,
                 "the queue is full: try again when Retry-After says, with the whole request"};
    full.retry_after = taken.error();
    return std::unexpected(std::move(full));
  }
  return {};
}

}  // namespace embd::server
