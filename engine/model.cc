#include "embd/model.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/checksum.h"
#include "base/cpu.h"
#include "base/file_descriptor.h"
#include "base/guard.h"
#include "base/kept_hash.h"
#include "base/row_cache.h"
#include "embd/version.h"
#include "engine/encoder/weights.h"
#include "engine/feeds.h"
#include "engine/kernels/choose.h"
#include "engine/span_source.h"
#include "engine/text_windows.h"
#include "engine/tokenizers.h"
#include "engine/worker.h"
#include "formats/weights/huggingface/convert.h"
#include "formats/weights/huggingface/wordpiece_files.h"

namespace embd {
namespace {

/// Blocks of a window of a stream that each thread finds, so that the last ones, when some threads
/// have nothing more to do, weigh little.
constexpr std::int64_t blocks_per_thread = 8;

/// For the rows of texts that may come again within a call.
constexpr std::size_t max_known_bytes = std::size_t{32} << 20;

FeedOptions feed_options(const EncodePlan& plan) {
  return {.dim = plan.dim,
          .max_length = plan.max_length,
          .window_tokens = blocks_per_thread * plan.threads * plan.batch_tokens,
          .strict_utf8 = plan.strict_utf8};
}

kernels::Arithmetic arithmetic_of(Compute compute) {
  switch (compute) {
    case Compute::bf16:
      return kernels::Arithmetic::bf16;
    case Compute::int8:
      return kernels::Arithmetic::int8;
    case Compute::f32:
      break;
  }
  return kernels::Arithmetic::f32;
}

/// A model as it was opened.
struct OpenedModel {
  WeightFile file;
  FileDescriptor descriptor;  ///< of the mapped file, where its hash is to be kept
};

Result<OpenedModel> open_file(const std::filesystem::path& path, const LoadOptions& options) {
  WeightFileOptions file_options = {.vocab = {}, .verify = options.verify};
  if (!options.vocab.empty()) file_options.vocab = EMBD_TRY(huggingface::read_vocab(options.vocab));
  std::error_code not_there;
  if (std::filesystem::is_directory(path, not_there))
    return OpenedModel{EMBD_TRY(huggingface::open_model_folder(path, std::move(file_options))), {}};
  FileDescriptor descriptor = EMBD_TRY(FileDescriptor::open(path, O_RDONLY));
  MappedFile map = EMBD_TRY(MappedFile::of(descriptor, path));
  if (options.hash_record.empty()) descriptor.close();
  return OpenedModel{EMBD_TRY(WeightFile::from_map(std::move(map), path, std::move(file_options))),
                     std::move(descriptor)};
}

/// Texts that are token ids, in the form that TextWindows gives them to the engine.
std::vector<std::string_view> bytes_of(std::span<const std::span<const std::int32_t>> texts) {
  std::vector<std::string_view> bytes;
  bytes.reserve(texts.size());
  for (const auto& ids : texts) bytes.push_back(as_text(std::as_bytes(ids)));
  return bytes;
}

/// That a model with so many ids has these. `text`: number of the text, for the message.
Result<void> check_ids(std::span<const std::int32_t> ids, std::uint32_t vocab_size,
                       std::uint64_t text) {
  if (ids.empty())
    return fail(ErrorCode::invalid_argument,
                fmt::format("text {} has no tokens, expected [CLS] and [SEP] at least", text));
  const auto bad = std::ranges::find_if(ids, [vocab_size](std::int32_t id) {
    return id < 0 || static_cast<std::uint32_t>(id) >= vocab_size;
  });
  if (bad == ids.end()) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("text {}, token {}: id {}, expected 0 to {}", text, bad - ids.begin(),
                          *bad, vocab_size - 1));
}

/// A stream of token ids, in that form.
class IdBytesSource final : public TextSource {
 public:
  IdBytesSource(TokenIdSource& source, std::uint32_t vocab_size)
      : source_(source), vocab_size_(vocab_size) {}

  Result<bool> next(std::string& bytes) override {
    if (!EMBD_TRY(source_.next(ids_))) return false;
    EMBD_TRY(check_ids(ids_, vocab_size_, num_texts_++));
    bytes = as_text(std::as_bytes(std::span(ids_)));
    return true;
  }

 private:
  TokenIdSource& source_;
  const std::uint32_t vocab_size_;
  std::vector<std::int32_t> ids_;
  std::uint64_t num_texts_ = 0;
};

/// `out` and `reports` have room for the rows of so many texts.
Result<void> check_room(std::size_t num_texts, std::span<const float> out,
                        std::span<const RowReport> reports, const EncodePlan& plan) {
  if (out.size() / plan.dim != num_texts || out.size() % plan.dim != 0) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("room for {} values, but {} texts have {} each", out.size(), num_texts,
                            plan.dim));
  }
  if (!reports.empty() && reports.size() != num_texts) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("room for {} reports, but {} texts", reports.size(), num_texts));
  }
  return {};
}

/// Rows of a stream into memory that the caller holds, and that has room for all.
class SpanSink final : public RowSink {
 public:
  SpanSink(std::span<float> rows, std::span<RowReport> reports) : rows_(rows), reports_(reports) {}

  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override {
    std::ranges::copy(rows.values(), rows_.begin());
    rows_ = rows_.subspan(rows.values().size());
    if (reports_.empty()) return {};
    std::ranges::copy(reports, reports_.begin());
    reports_ = reports_.subspan(reports.size());
    return {};
  }

 private:
  std::span<float> rows_;
  std::span<RowReport> reports_;
};

}  // namespace

std::string_view compute_name(Compute compute) noexcept {
  return compute == Compute::bf16 ? "bf16" : compute == Compute::int8 ? "int8" : "f32";
}

struct Model::Impl {
  Impl(OpenedModel opened, std::unique_ptr<const Tokenizer> made_tokenizer, Weights loaded_weights,
       const kernels::Kernels& chosen_kernels, const LoadOptions& options)
      : file(std::move(opened.file)),
        descriptor(std::move(opened.descriptor)),
        hash_record(options.hash_record),
        tokenizer(std::move(made_tokenizer)),
        weights(std::move(loaded_weights)),
        kernels(chosen_kernels),
        compute(options.compute),
        encoder(weights, kernels),
        workers([this] { return std::make_unique<Worker>(*tokenizer, encoder); }),
        threads(available_threads()) {}

  const ModelSpec& spec() const noexcept { return file.spec(); }
  Result<EncodePlan> plan(const EncodeOptions& options) const {
    return plan_encoding(options, spec(), threads);
  }
  Result<Report> run(Feed& feed, const EncodePlan& plan, const std::stop_token& stop) const;
  Result<Report> run(TextSource& source, RowSink& sink, const EncodePlan& plan,
                     const std::stop_token& stop) const;
  Result<Report> run(std::span<const std::string_view> texts, std::span<float> rows,
                     std::span<RowReport> reports, const EncodePlan& plan,
                     const std::stop_token& stop) const;
  /// The plan for texts that are token ids already.
  Result<EncodePlan> plan_ids(const EncodeOptions& options) const;
  /// The same for these, all of which are checked.
  Result<EncodePlan> plan_ids(std::span<const std::span<const std::int32_t>> texts,
                              const EncodeOptions& options) const;
  std::string model_sha256() const;

  const WeightFile file;
  const FileDescriptor descriptor;
  const std::filesystem::path hash_record;
  const std::unique_ptr<const Tokenizer> tokenizer;
  const Weights weights;
  const kernels::Kernels& kernels;
  const Compute compute;
  const Encoder encoder;
  mutable WorkerPool workers;
  const int threads;

 private:
  std::string hash_file() const;

  mutable std::mutex hash_mutex_;
  mutable std::string hash_;
};

Result<Report> Model::Impl::run(Feed& feed, const EncodePlan& plan,
                                const std::stop_token& stop) const {
  const PipelineOptions options = {.threads = plan.threads,
                                   .team = plan.team,
                                   .batch_tokens = plan.batch_tokens,
                                   .max_length = plan.max_length};
  std::optional<RowCache> known;
  if (plan.dedup) known.emplace(max_known_bytes);
  const auto encode = [&](Block block) {
    const auto worker = workers.lease();
    if (workers.num_leased() > 1) block.threads = 1;  // Other calls have the cores.
    return worker->encode(block, plan, known ? &*known : nullptr);
  };
  return run_pipeline(feed, options, encode, stop);
}

Result<Report> Model::Impl::run(TextSource& source, RowSink& sink, const EncodePlan& plan,
                                const std::stop_token& stop) const {
  if (plan.windows == Windows::none) {
    StreamFeed feed(source, sink, feed_options(plan));
    return run(feed, plan, stop);
  }
  const auto worker = workers.lease();
  TextWindows windows(source, sink, *worker, plan);
  EMBD_TRY(windows.prepare());
  EncodePlan of_windows = plan;
  of_windows.tokenized = true;
  of_windows.strict_utf8 = false;
  StreamFeed feed(windows, windows, feed_options(of_windows));
  Report report = EMBD_TRY(run(feed, of_windows, stop));
  report.rows = windows.num_rows();
  return report;
}

Result<Report> Model::Impl::run(std::span<const std::string_view> texts, std::span<float> rows,
                                std::span<RowReport> reports, const EncodePlan& plan,
                                const std::stop_token& stop) const {
  if (plan.windows == Windows::rows) {
    return fail(ErrorCode::invalid_argument,
                "windows have rows of their own only where they are streamed");
  }
  if (plan.windows == Windows::none) {
    SpanFeed feed(texts, rows, reports, feed_options(plan));
    EncodePlan of_texts = plan;
    of_texts.dedup = plan.dedup && texts.size() > 1;
    return run(feed, of_texts, stop);
  }
  SpanSource source(texts);
  SpanSink sink(rows, reports);
  return run(source, sink, plan, stop);
}

Result<EncodePlan> Model::Impl::plan_ids(const EncodeOptions& options) const {
  if (options.prompt || !options.prompt_name.empty() || options.windows != Windows::none ||
      options.strict_utf8) {
    return fail(ErrorCode::invalid_argument,
                "prompts, windows and strict UTF-8 are options for texts, not for token ids");
  }
  EncodePlan plan = EMBD_TRY(this->plan(options));
  plan.prompt = {};
  plan.tokenized = true;
  return plan;
}

Result<EncodePlan> Model::Impl::plan_ids(std::span<const std::span<const std::int32_t>> texts,
                                         const EncodeOptions& options) const {
  for (std::size_t i = 0; i < texts.size(); ++i)
    EMBD_TRY(check_ids(texts[i], spec().vocab_size, i));
  return plan_ids(options);
}

std::string Model::Impl::hash_file() const {
  constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  Sha256 hash;
  for (Bytes rest = file.bytes(); !rest.empty();
       rest = rest.subspan(std::min(piece_bytes, rest.size()))) {
    const Bytes piece = rest.first(std::min(piece_bytes, rest.size()));
    hash.update(piece);
    file.release(piece);  // Else the whole file would count as memory of this process.
  }
  return hash.hex();
}

std::string Model::Impl::model_sha256() const {
  const std::lock_guard lock(hash_mutex_);
  if (hash_.empty()) {
    hash_ = descriptor.is_open()
                ? kept_hash(hash_record, descriptor, [this] { return hash_file(); })
                : hash_file();
  }
  return hash_;
}

Result<Model> Model::open(const std::filesystem::path& path, const LoadOptions& options) {
  return guarded([&]() -> Result<Model> {
    const kernels::Kernels& kernels =
        *EMBD_TRY(kernels::choose_kernels(arithmetic_of(options.compute)));
    OpenedModel opened = EMBD_TRY(open_file(path, options));
    auto tokenizer = EMBD_TRY(make_tokenizer(opened.file));
    Weights weights = EMBD_TRY(
        Weights::load(opened.file, kernels, available_threads(), arithmetic_of(options.compute)));
    return Model(std::make_unique<Impl>(std::move(opened), std::move(tokenizer), std::move(weights),
                                        kernels, options));
  });
}

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const std::string& Model::name() const noexcept {
  return impl_->spec().name;
}
std::uint32_t Model::dim() const noexcept {
  return impl_->spec().dim;
}
std::uint32_t Model::max_length() const noexcept {
  return impl_->spec().max_seq_length;
}
std::uint32_t Model::max_positions() const noexcept {
  return impl_->spec().max_tokens();
}
std::uint32_t Model::vocab_size() const noexcept {
  return impl_->spec().vocab_size;
}
const std::vector<Prompt>& Model::prompts() const noexcept {
  return impl_->spec().prompts;
}
const std::string& Model::default_prompt_name() const noexcept {
  return impl_->spec().default_prompt_name;
}
const std::string& Model::similarity() const noexcept {
  return impl_->spec().similarity;
}
Compute Model::compute() const noexcept {
  return impl_->compute;
}
std::string_view Model::instruction_set() const noexcept {
  return impl_->kernels.name;
}

Result<Recipe> Model::recipe(const EncodeOptions& options) const {
  return guarded([&]() -> Result<Recipe> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    return Recipe{.model_sha256 = impl_->model_sha256(),
                  .tokenizer_sha256 = impl_->tokenizer->hash(),
                  .max_length = static_cast<std::uint32_t>(plan.max_length),
                  .pooling = plan.pooling,
                  .normalize = plan.normalize,
                  .truncate_dim = static_cast<std::uint32_t>(plan.dim),
                  .model_name = name(),
                  .prompt = std::string(plan.prompt),
                  .windows = plan.windows,
                  .stride = static_cast<std::uint32_t>(plan.stride),
                  .truncation_side = plan.truncation_side,
                  .compute = std::string(compute_name(impl_->compute)),
                  .instruction_set = std::string(instruction_set()),
                  .output_type = "f32",
                  .input_sha256 = {},
                  .embd_version = std::string(version())};
  });
}

Result<Matrix> Model::encode(std::span<const std::string_view> texts, const EncodeOptions& options,
                             std::stop_token stop) const {
  return guarded([&]() -> Result<Matrix> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    Matrix rows(texts.size(), plan.dim);
    EMBD_TRY(impl_->run(texts, rows.values(), {}, plan, stop));
    return rows;
  });
}

Result<std::vector<float>> Model::encode(std::string_view text,
                                         const EncodeOptions& options) const {
  return guarded([&]() -> Result<std::vector<float>> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    std::vector<float> row(plan.dim);
    EMBD_TRY(impl_->run({&text, 1}, row, {}, plan, {}));
    return row;
  });
}

Result<Report> Model::encode(std::span<const std::string_view> texts, std::span<float> out,
                             std::span<RowReport> reports, const EncodeOptions& options,
                             std::stop_token stop) const {
  return guarded([&]() -> Result<Report> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    EMBD_TRY(check_room(texts.size(), out, reports, plan));
    return impl_->run(texts, out, reports, plan, stop);
  });
}

Result<Report> Model::encode(TextSource& source, RowSink& sink, const EncodeOptions& options,
                             std::stop_token stop) const {
  return guarded([&]() -> Result<Report> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    return impl_->run(source, sink, plan, stop);
  });
}

Result<Matrix> Model::encode_ids(std::span<const std::span<const std::int32_t>> texts,
                                 const EncodeOptions& options, std::stop_token stop) const {
  return guarded([&]() -> Result<Matrix> {
    const EncodePlan plan = EMBD_TRY(impl_->plan_ids(texts, options));
    Matrix rows(texts.size(), plan.dim);
    EMBD_TRY(impl_->run(bytes_of(texts), rows.values(), {}, plan, stop));
    return rows;
  });
}

Result<Report> Model::encode_ids(std::span<const std::span<const std::int32_t>> texts,
                                 std::span<float> out, std::span<RowReport> reports,
                                 const EncodeOptions& options, std::stop_token stop) const {
  return guarded([&]() -> Result<Report> {
    const EncodePlan plan = EMBD_TRY(impl_->plan_ids(texts, options));
    EMBD_TRY(check_room(texts.size(), out, reports, plan));
    return impl_->run(bytes_of(texts), out, reports, plan, stop);
  });
}

Result<Report> Model::encode_ids(TokenIdSource& source, RowSink& sink, const EncodeOptions& options,
                                 std::stop_token stop) const {
  return guarded([&]() -> Result<Report> {
    const EncodePlan plan = EMBD_TRY(impl_->plan_ids(options));
    IdBytesSource bytes(source, impl_->spec().vocab_size);
    return impl_->run(bytes, sink, plan, stop);
  });
}

Result<Matrix> Model::encode_tokens(std::string_view text, const EncodeOptions& options) const {
  return guarded([&]() -> Result<Matrix> {
    const EncodePlan plan = EMBD_TRY(impl_->plan(options));
    const auto worker = impl_->workers.lease();
    const MatrixView hidden = EMBD_TRY(worker->encode_tokens(text, plan));
    Matrix rows(hidden.rows(), hidden.cols());
    std::ranges::copy(hidden.values(), rows.data());
    return rows;
  });
}

Result<Tokens> Model::tokenize(std::string_view text, const EncodeOptions& options) const {
  return guarded([&]() -> Result<Tokens> {
    EncodeOptions checked = options;
    if (options.max_length == 0) checked.max_length.reset();
    EncodePlan plan = EMBD_TRY(impl_->plan(checked));
    if (options.max_length == 0) plan.max_length = 0;
    const auto worker = impl_->workers.lease();
    return worker->locate_tokens(text, plan);
  });
}

std::string_view Model::token(std::int32_t id) const noexcept {
  return impl_->tokenizer->token(id);
}

}  // namespace embd
