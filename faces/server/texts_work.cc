#include "faces/server/texts_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/json_text.h"
#include "base/row_cache.h"
#include "base/try.h"
#include "faces/server/call_work.h"
#include "faces/server/json_answer.h"
#include "faces/server/service.h"

namespace embd::server {
namespace {

/// Returns a key for the model and the options that a vector depends on.
std::string fingerprint(const ServedModel& model, const EncodeOptions& options) {
  return fmt::format("{}/{}/{}/{}/{}/{}/{}/{}", json_string(model.name),
                     key_part(options.max_length), key_part(options.truncation_side),
                     key_part(options.pooling), key_part(options.normalize), options.truncate_dim,
                     options.prompt_name, options.prompt.value_or(""));
}

/// Returns the options for token ids: without the prompt, which is put before texts only.
EncodeOptions of_ids(EncodeOptions options) {
  options.prompt.reset();
  options.prompt_name.clear();
  return options;
}

class TextsWork final : public CallWork {
 public:
  TextsWork(Service& service, Call call, TextsRequest request)
      : CallWork(service, std::move(call)), request_(std::move(request)) {}

  /// Does all work before queueing: counts tokens, reserves memory, takes vectors from the cache,
  /// and divides the texts into slices.
  Answerable<void> prepare();
  Result<void> run(std::span<const Slice> slices) override;

 private:
  Answerable<void> finish() override;
  std::size_t num_characters() const override;
  const Model& model() const noexcept { return request_.model->model; }
  /// The number of values of each row.
  std::size_t dim() const noexcept {
    if (has_vectors()) return request_.vectors.cols();
    return request_.options.truncate_dim != 0 ? request_.options.truncate_dim : model().dim();
  }
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
  static Result<void> compute(std::span<const Slice> slices);
  Result<void> write(std::size_t slice);
  Result<void> write_tokens(SliceRows rows, std::string& out);
  std::span<float> row(std::size_t i) { return {rows_.data() + i * rows_.cols(), rows_.cols()}; }
  Failure too_long(std::size_t i, std::uint64_t tokens) const;
  TextsRequest request_;
  Matrix rows_;
  std::vector<RowCache::Key> keys_;
  std::vector<char> cached_;
  Embedded embedded_;
};

Answerable<void> TextsWork::count_tokens() {
  const Clock::time_point start = Clock::now();
  tokens_.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) EMBD_TRY(has_ids() ? count_ids(i) : count_text(i));
  tokenizing_ = Clock::now() - start;
  return {};
}

Failure TextsWork::too_long(std::size_t i, std::uint64_t tokens) const {
  return {Problem::text_too_long,
          fmt::format("text {} has {} tokens, but the model takes at most {}, and the request does "
                      "not allow truncation",
                      i, tokens, request_.options.max_length.value_or(model().max_length()))};
}

Answerable<void> TextsWork::count_text(std::size_t i) {
  const auto tokens = model().tokenize(request_.texts[i], request_.options);
  if (!tokens) return std::unexpected(failure_of(tokens.error()));
  if (tokens->truncated && !request_.truncate)
    return std::unexpected(too_long(i, tokens->whole_length));
  return add_tokens(static_cast<std::uint32_t>(tokens->ids.size()), tokens->truncated);
}

Answerable<void> TextsWork::count_ids(std::size_t i) {
  const std::size_t whole = request_.ids[i].size();
  const std::size_t most = request_.options.max_length.value_or(model().max_length());
  if (whole > most && !request_.truncate) return std::unexpected(too_long(i, whole));
  return add_tokens(static_cast<std::uint32_t>(std::min(whole, most)), whole > most);
}

void TextsWork::find_cached() {
  cached_.assign(size(), 0);
  RowCache& cache = service_.cache();
  if (!cache.enabled() || request_.each_token || has_ids()) return;
  const std::string options = fingerprint(*request_.model, request_.options);
  keys_.reserve(cached_.size());
  for (std::size_t i = 0; i < cached_.size(); ++i) {
    keys_.push_back(RowCache::key(options, as_bytes(request_.texts[i])));
    cached_[i] = static_cast<char>(cache.find(keys_[i], row(i)));
    (cached_[i] != 0 ? service_.metrics().cache_hits : service_.metrics().cache_misses).add();
  }
}

Answerable<void> TextsWork::prepare() {
  if (!has_vectors() && dim() > model().dim()) {
    return refuse(
        Problem::invalid,
        fmt::format("{} dimensions were asked for, but the model has {}", dim(), model().dim()),
        "dimensions");
  }
  if (has_ids() && !request_.options.prompt_name.empty()) {
    return refuse(Problem::invalid,
                  fmt::format("the prompt \"{}\" can be put before texts, but not before token ids",
                              request_.options.prompt_name));
  }
  if (!has_vectors()) EMBD_TRY(count_tokens());
  const std::size_t answer = (request_.each_token ? total_tokens_ : size()) * request_.row_bytes;
  EMBD_TRY(take_memory(answer, size() * dim() * sizeof(float)));
  if (has_vectors()) {
    tokens_.assign(size(), 0);
    cached_.assign(size(), 1);
    rows_ = request_.vectors;
  } else {
    rows_ = Matrix(request_.each_token ? 0 : size(), dim());
    find_cached();
  }
  cut_slices(tokens_.size(), [this](std::size_t i) {
    return (cached_[i] != 0 ? 0 : request_.model->cost(tokens_[i])) + request_.row_tokens;
  });
  embedded_.parts.resize(slices_.size());
  if (!request_.each_token && !has_vectors())
    kind = fmt::format("{} {}", has_ids() ? "ids" : "texts",
                       fingerprint(*request_.model, request_.options));
  return {};
}

/// Computes the rows of several slices, whose works are of one kind, except rows from the cache.
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
  const auto done = any.has_ids()
                        ? any.model().encode_ids(ids, computed.values(), {}, of_ids(options))
                        : any.model().encode(texts, computed.values(), {}, options);
  if (!done)
    return std::unexpected(
        in_request(done.error(), "text", [&](std::size_t n) { return places[n].i; }));
  std::uint64_t tokens = 0;
  for (std::size_t n = 0; n < places.size(); ++n) {
    const auto& [work, i] = places[n];
    std::ranges::copy(computed.row(n), work.row(i).begin());
    if (!work.keys_.empty()) any.service_.cache().insert(work.keys_[i], computed.row(n));
    tokens += work.tokens_[i];
  }
  ModelCounters& counters = any.service_.metrics().model(any.request_.model->name);
  counters.texts.add(places.size());
  counters.tokens.add(tokens);
  return {};
}

/// Appends a JSON list for each text, with the vectors of its tokens.
Result<void> TextsWork::write_tokens(SliceRows rows, std::string& out) {
  for (std::size_t i = rows.first; i < rows.end; ++i) {
    const auto tokens = model().encode_tokens(request_.texts[i], request_.options);
    if (!tokens)
      return std::unexpected(in_request(tokens.error(), "text", [i](std::size_t) { return i; }));
    out += i == 0 ? "[" : ",[";
    for (std::size_t token = 0; token < tokens->rows(); ++token) {
      if (token != 0) out += ',';
      append_json_floats(tokens->row(token), out);
    }
    out += ']';
  }
  return {};
}

/// Writes the part of the answer for a slice.
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

std::size_t TextsWork::num_characters() const {
  std::size_t characters = 0;
  for (const auto& text : request_.texts) characters += text.size();
  return characters;
}

Answerable<void> TextsWork::finish() {
  if (!has_vectors())
    service_.metrics().model(request_.model->name).truncated_texts.add(truncated_.size());
  embedded_.rows = rows_;
  embedded_.tokens = total_tokens_;
  embedded_.truncated = truncated_;
  if (request_.go_on) return request_.go_on(std::move(embedded_));
  answer(request_.finish(std::move(embedded_)));
  return {};
}

}  // namespace

Answerable<void> embed_texts(Service& service, const Call& call, TextsRequest request) {
  const auto work = std::make_shared<TextsWork>(service, call, std::move(request));
  EMBD_TRY(work->prepare());
  return submit(service, work);
}

}  // namespace embd::server
