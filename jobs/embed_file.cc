#include "embd/embed_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/guard.h"
#include "base/try.h"
#include "jobs/conditions.h"
#include "jobs/embed_sink.h"
#include "jobs/journal.h"
#include "jobs/outputs.h"
#include "jobs/record_stream.h"
#include "jobs/streams.h"
#include "text/byte_stream.h"

namespace embd {
namespace {

/// One run: what came from the caller, and what the steps make of it.
struct Job {
  const Model& model;
  RecordReader& reader;
  const std::vector<std::filesystem::path>& outputs;
  const InputOptions& input;
  const EmbedOptions& options;
  /// SHA-256 of the input, where that is known before it is read.
  std::string input_sha256;
  std::stop_token stop;
};

/// What the outputs are made with. JSON Lines on standard output have no room for it, and hashing a
/// model takes longer than embedding a sentence, so for these alone it is not hashed.
Result<Recipe> recipe_of(const Job& job) {
  const EncodeOptions& encode = job.options.encode;
  const bool has_room = job.options.resume || !job.options.output.format.empty() ||
                        !std::ranges::all_of(job.outputs, is_standard_output);
  Recipe recipe;
  if (has_room) {
    recipe = EMBD_TRY(job.model.recipe(encode));
  } else {
    recipe.truncate_dim = encode.truncate_dim == 0 ? job.model.dim() : encode.truncate_dim;
  }
  recipe.input_sha256 = job.input_sha256;
  const std::string_view type = output_type_name(job.options.output.type);
  if (!type.empty()) recipe.output_type = type;
  return recipe;
}

Result<Journal> open_journal(const Job& job, const Recipe& recipe) {
  for (const std::filesystem::path& path : job.outputs) {
    if (is_stream(path)) {
      return fail(ErrorCode::invalid_argument,
                  "what is to be resumed needs outputs with names, not " + stream_name(path));
    }
  }
  std::filesystem::path path = job.outputs.front();
  if (!path.has_filename()) path = path.parent_path();
  path += ".journal";
  const Conditions conditions =
      EMBD_TRY(conditions_of(job.outputs, job.input, job.options, recipe));
  return Journal::open(path, conditions, recipe.truncate_dim, job.options.restart);
}

/// The rows of all runs, from the journal to the outputs.
Result<void> write_outputs(Journal& journal, Outputs& outputs, const std::stop_token& stop) {
  return journal.for_each([&](const RowBatch& batch) -> Result<void> {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "");
    return outputs.append(batch);
  });
}

Result<Report> embed_texts(const Job& job, RecordStream& records, Outputs& outputs,
                           Journal* journal) {
  const EncodeOptions& encode = job.options.encode;
  EmbedSink sink(records, outputs, journal,
                 {.id_start = job.options.id_start,
                  .refuse_truncated = job.options.refuse_truncated,
                  .window_rows = encode.windows == Windows::rows,
                  .max_length = encode.max_length.value_or(job.model.max_length()),
                  .progress = job.options.progress});
  if (journal != nullptr) EMBD_TRY(sink.resume());
  return job.model.encode(records, sink, encode, job.stop);
}

Result<Outputs> create_outputs(const Job& job, const Recipe& recipe) {
  const EmbedOptions& options = job.options;
  RowFields fields = EMBD_TRY(RowFields::create(options.section_fields, options.column_fields));
  OutputOptions output = options.output;
  output.write.recipe = recipe;
  output.write.index.threads = options.encode.threads;
  output.write.columns = fields.columns();
  return Outputs::create(
      job.outputs, output,
      {.dim = recipe.truncate_dim, .fields = std::move(fields), .row_report = options.row_report});
}

/// The hash of the input, which its reader made on the way.
Result<void> take_input_hash(const Job& job, Outputs& outputs) {
  const std::string hash = job.reader.sha256();
  if (!job.input_sha256.empty() && hash != job.input_sha256) {
    return std::unexpected(
        Error(ErrorCode::io_failed, "changed while it was read").in_file(job.reader.name()));
  }
  outputs.set_input_sha256(hash);
  return {};
}

Result<EmbedReport> run(const Job& job) {
  const auto start = std::chrono::steady_clock::now();
  if (job.outputs.empty()) return fail(ErrorCode::invalid_argument, "no output");
  if (job.options.id_start && !job.input.id_field.empty())
    return fail(ErrorCode::invalid_argument, "ids are numbered or read from a field, not both");
  const Recipe recipe = EMBD_TRY(recipe_of(job));
  std::optional<Journal> journal;
  if (job.options.resume) journal.emplace(EMBD_TRY(open_journal(job, recipe)));
  Outputs outputs = EMBD_TRY(create_outputs(job, recipe));
  RecordStream records(job.reader, outputs.needs_texts(/*have_ids=*/false) || journal);

  const Report report = EMBD_TRY(embed_texts(job, records, outputs, journal ? &*journal : nullptr));
  EMBD_TRY(take_input_hash(job, outputs));
  if (journal) EMBD_TRY(write_outputs(*journal, outputs, job.stop));
  EMBD_TRY(outputs.finish());
  if (journal) EMBD_TRY(journal->remove());
  return EmbedReport{
      .rows = outputs.num_rows(),
      .resumed_rows = outputs.num_rows() - std::min(outputs.num_rows(), report.rows),
      .tokens = report.tokens,
      .truncated_rows = outputs.num_truncated(),
      .renamed_rows = outputs.num_renamed(),
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
      .losses = outputs.losses()};
}

/// SHA-256 of a regular file; empty for anything else, which can be read only once.
Result<std::string> hash_of_file(const std::filesystem::path& path) {
  struct stat status = {};
  if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  ByteStream stream = EMBD_TRY(ByteStream::open(path));
  std::string line;
  while (EMBD_TRY(stream.append_line(line))) line.clear();
  return stream.sha256();
}

/// Texts of the caller's as records, which have their number as line.
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

Result<EmbedReport> embed_file(const Model& model, const std::filesystem::path& input,
                               const std::vector<std::filesystem::path>& outputs,
                               const InputOptions& texts, const EmbedOptions& options,
                               std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    InputOptions with_fields = texts;
    const RowFields fields =
        EMBD_TRY(RowFields::create(options.section_fields, options.column_fields));
    with_fields.fields = fields.section_names();
    with_fields.number_fields = fields.column_names();
    const auto reader = EMBD_TRY(open_records(input, with_fields));
    // A journal of other texts is refused before anything is embedded, so the input is read once
    // more for its hash. Everybody else gets it from the one pass.
    std::string hash = options.resume ? EMBD_TRY(hash_of_file(input)) : std::string();
    return run({model, *reader, outputs, with_fields, options, std::move(hash), std::move(stop)});
  });
}

Result<EmbedReport> embed_records(const Model& model, RecordReader& records,
                                  const std::vector<std::filesystem::path>& outputs,
                                  const EmbedOptions& options, std::stop_token stop) {
  return guarded(
      [&] { return run({model, records, outputs, InputOptions(), options, {}, std::move(stop)}); });
}

Result<EmbedReport> embed_texts(const Model& model, TextSource& texts,
                                const std::vector<std::filesystem::path>& outputs,
                                const EmbedOptions& options, std::stop_token stop) {
  TextRecords records(texts);
  return embed_records(model, records, outputs, options, std::move(stop));
}

}  // namespace embd
