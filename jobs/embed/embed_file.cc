#include "embd/embed_file.h"

#include <utility>

#include "base/path_text.h"
#include "base/try.h"
#include "formats/text/open_records.h"
#include "jobs/embed/conditions.h"
#include "jobs/embed/embed_plan.h"
#include "jobs/embed/part_manifest.h"
#include "jobs/embed/record_stream.h"
#include "jobs/row_ids.h"

namespace embd {
namespace {

/// Makes vectors of texts. Everything that it refers to must outlive it.
class TextRows final : public RowMaker {
 public:
  TextRows(const Model& model, const EncodeOptions& options) : model_(model), options_(options) {}

  Result<Recipe> recipe() const override { return model_.recipe(options_); }
  std::uint32_t dim() const override {
    return options_.truncate_dim == 0 ? model_.dim() : options_.truncate_dim;
  }
  std::uint32_t max_length() const override {
    return options_.max_length.value_or(model_.max_length());
  }
  std::string_view too_long() const override {
    return "a text may have: allow truncation, or embed the text in windows";
  }
  const Model* model() const override { return &model_; }
  Result<Report> make_rows(RecordStream& records, RowSink& sink,
                           const std::stop_token& stop) const override {
    return encode_records(model_, records, sink, options_, stop);
  }

 private:
  const Model& model_;
  const EncodeOptions& options_;
};

/// Writes the manifest of one output. It is `manifest` with facts that are read from the file of
/// the output.
Result<void> write_manifest(const OutputTarget& output, PartManifest manifest) {
  const std::filesystem::path vectors = output.vectors();
  manifest.vectors = text_of_path(vectors.filename());
  manifest.stored_digest = EMBD_TRY(digest_file(vectors, read_whole_part)).vectors_hex();
  const auto reader = EMBD_TRY(open_vectors(vectors, read_whole_part));
  if (auto recipe = EMBD_TRY(reader->recipe())) manifest.recipe = std::move(*recipe);
  return write_part_manifest(manifest, output.path);
}

/// Returns the plan with the ids that the texts of a part have in the whole job, in which
/// `num_before` texts come before them.
Result<EmbedPlan> numbered(const EmbedPlan& plan, std::uint64_t num_before) {
  EmbedPlan numbered = plan;
  std::optional<std::uint64_t>& start = numbered.options.id_start;
  // Windows without ids are named after the lines of their texts. A part counts lines from the
  // beginning of the whole input, so they need no start.
  const bool is_line = !start && plan.options.encode.windows == Windows::rows;
  if (!has_ids(plan.texts) && !is_line)
    start = EMBD_TRY(number_after(start.value_or(0), num_before));
  return numbered;
}

/// Makes the rows of one part of the inputs, which EmbedOptions::part selects, and writes them to
/// all outputs. The manifest of each output is written last, so that a manifest proves that its
/// vectors are whole.
Result<EmbedReport> embed_part(const RowMaker& maker, const EmbedPlan& plan, std::stop_token stop) {
  auto conditions = EMBD_TRY(row_conditions(plan));
  PartManifest manifest = {.part = *plan.options.part,
                           .kind = plan.kind,
                           .has_ids = plan.has_ids(),
                           .conditions = std::move(conditions)};
  const auto part = EMBD_TRY(PartReader::open(plan.inputs, plan.texts, manifest.part));
  const EmbedPlan of_part = EMBD_TRY(numbered(plan, part->num_records_before()));
  const WrittenRows done = EMBD_TRY(run_embedding({maker, *part, of_part, {}, std::move(stop)}));
  manifest.rows = done.report.rows;
  manifest.first_text = part->num_records_before();
  manifest.texts = done.num_texts;
  manifest.first_id = done.first_id;
  manifest.last_id = done.last_id;
  manifest.input_bytes = part->bytes_of_whole();
  manifest.input_sha256_before = part->sha256_before();
  manifest.input_sha256_after = part->sha256_so_far();
  manifest.digest = *done.report.digest;
  for (const OutputTarget& output : plan.outputs) EMBD_TRY(write_manifest(output, manifest));
  return done.report;
}

/// Reads the caller's texts as records. The line of a record is the number of its text, from 1.
class TextRecords final : public RecordReader {
 public:
  explicit TextRecords(TextSource& texts) : texts_(texts) {}

  Result<bool> next(Record& record) override {
    if (!EMBD_TRY(texts_.next(record.text))) return false;
    ++record.line;
    return true;
  }
  const std::string& name() const noexcept override { return name_; }

 private:
  TextSource& texts_;
  const std::string name_ = "texts";
};

}  // namespace

std::optional<double> EmbedProgress::seconds_left() const noexcept {
  if (!share || *share <= resumed_share) return std::nullopt;
  return seconds * (1 - *share) / (*share - resumed_share);
}

Result<EmbedReport> make_file(const RowMaker& maker, const EmbedPlan& plan, std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    if (plan.options.part) return embed_part(maker, plan, std::move(stop));
    const auto reader = EMBD_TRY(open_records(plan.inputs, plan.texts, stop));
    // A resumed run reads the input once more for its hash, so that a journal of other texts is
    // refused before anything is embedded. Other runs compute the hash while they read the texts.
    std::string hash = plan.options.resume ? EMBD_TRY(hash_of_inputs(plan.inputs)) : std::string();
    return EMBD_TRY(run_embedding({maker, *reader, plan, std::move(hash), std::move(stop)})).report;
  });
}

Result<EmbedReport> make_records(const RowMaker& maker, RecordReader& records,
                                 const EmbedPlan& plan, std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    if (plan.options.part)
      return fail(ErrorCode::invalid_argument,
                  "a part was asked for, but the texts do not come from a file, and only files can "
                  "be divided into parts");
    return EMBD_TRY(run_embedding({maker, records, plan, {}, std::move(stop)})).report;
  });
}

Result<EmbedReport> embed_file(const Model& model, const EmbedPlan& plan, std::stop_token stop) {
  return make_file(TextRows(model, plan.options.encode), plan, std::move(stop));
}

Result<EmbedReport> embed_records(const Model& model, RecordReader& records, const EmbedPlan& plan,
                                  std::stop_token stop) {
  return make_records(TextRows(model, plan.options.encode), records, plan, std::move(stop));
}

Result<EmbedReport> embed_file(const Model& model, const std::filesystem::path& input,
                               const std::vector<std::filesystem::path>& outputs,
                               const InputOptions& texts, const EmbedOptions& options,
                               std::stop_token stop) {
  return embed_files(model, {input}, outputs, texts, options, std::move(stop));
}

Result<EmbedReport> embed_files(const Model& model,
                                const std::vector<std::filesystem::path>& inputs,
                                const std::vector<std::filesystem::path>& outputs,
                                const InputOptions& texts, const EmbedOptions& options,
                                std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    auto [sets, terms] = EMBD_TRY(embed_outputs(outputs, options.output));
    auto files = EMBD_TRY(input_files(inputs));
    const EmbedPlan plan = EMBD_TRY(
        plan_embedding({std::move(files), std::move(sets), std::move(terms), texts, options}));
    return embed_file(model, plan, std::move(stop));
  });
}

Result<EmbedReport> embed_records(const Model& model, RecordReader& records,
                                  const std::vector<std::filesystem::path>& outputs,
                                  const EmbedOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    auto [sets, terms] = EMBD_TRY(embed_outputs(outputs, options.output));
    const EmbedPlan plan =
        EMBD_TRY(plan_embedding({{}, std::move(sets), std::move(terms), {}, options}));
    return embed_records(model, records, plan, std::move(stop));
  });
}

Result<EmbedReport> embed_texts(const Model& model, TextSource& texts,
                                const std::vector<std::filesystem::path>& outputs,
                                const EmbedOptions& options, std::stop_token stop) {
  TextRecords records(texts);
  return embed_records(model, records, outputs, options, std::move(stop));
}

}  // namespace embd
