#include "embd/embed_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/guard.h"
#include "base/path_names.h"
#include "base/try.h"
#include "base/utf8.h"
#include "jobs/embed/conditions.h"
#include "jobs/embed/embed_roles.h"
#include "jobs/embed/embed_sink.h"
#include "jobs/embed/journal.h"
#include "jobs/embed/part_manifest.h"
#include "jobs/embed/record_stream.h"
#include "jobs/outputs/outputs.h"
#include "jobs/outputs/streams.h"
#include "jobs/row_ids.h"
#include "text/byte_stream.h"
#include "text/open_records.h"
#include "text/part_reader.h"

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

/// A report, and what the manifest of a part says besides.
struct Done {
  EmbedReport report;
  std::uint64_t num_texts = 0;
  RecordId first_id;
  RecordId last_id;
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
    // The model's own is for texts; ids are taken as they are.
    if (job.reader.has_token_ids()) recipe.prompt.clear();
  } else {
    recipe.truncate_dim = encode.truncate_dim == 0 ? job.model.dim() : encode.truncate_dim;
  }
  recipe.input_sha256 = job.input_sha256;
  const std::string_view type = output_type_name(job.options.output.type);
  if (!type.empty()) recipe.output_type = type;
  return recipe;
}

/// A stream keeps nothing that a later run could go on with.
Result<void> check_resumable(const std::vector<std::filesystem::path>& outputs) {
  for (const std::filesystem::path& path : outputs) {
    if (is_stream(path)) {
      return fail(ErrorCode::invalid_argument,
                  "what is to be resumed needs outputs with names, not " + stream_name(path));
    }
  }
  return {};
}

Result<Journal> open_journal(const Job& job, const Recipe& recipe) {
  const Conditions conditions =
      EMBD_TRY(run_conditions(job.outputs, job.input, job.options, recipe));
  return Journal::open(journal_path(job.outputs.front()), conditions, recipe.truncate_dim,
                       job.options.restart);
}

/// The rows of all runs, from the journal to the outputs.
Result<void> write_outputs(Journal& journal, Outputs& outputs, const std::stop_token& stop) {
  return journal.for_each([&](const RowBatch& batch) -> Result<void> {
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "");
    return outputs.append(batch);
  });
}

Result<Report> embed_texts(const Job& job, RecordStream& records, Outputs& outputs,
                           Journal* journal, std::uint64_t& num_texts) {
  const EncodeOptions& encode = job.options.encode;
  EmbedSink sink(records, outputs, journal,
                 {.id_start = job.options.id_start,
                  .refuse_truncated = job.options.refuse_truncated,
                  .window_rows = encode.windows == Windows::rows,
                  .max_length = encode.max_length.value_or(job.model.max_length()),
                  .progress = job.options.progress});
  if (journal != nullptr) EMBD_TRY(sink.resume());
  auto report = encode_records(job.model, records, sink, encode, job.stop);
  num_texts = sink.num_texts();
  return report;
}

Result<Outputs> create_outputs(const Job& job, const Recipe& recipe) {
  const EmbedOptions& options = job.options;
  RowFields fields = EMBD_TRY(RowFields::create(options.section_fields, options.column_fields));
  OutputOptions output = options.output;
  output.write.recipe = recipe;
  output.write.index.threads = options.encode.threads;
  output.write.columns = fields.columns();
  // Without a model there is nothing to bind a digest to.
  std::optional<Recipe> digest_recipe;
  if (!recipe.model_sha256.empty()) digest_recipe = recipe;
  return Outputs::create(job.outputs, output,
                         {.dim = recipe.truncate_dim,
                          .fields = std::move(fields),
                          .row_report = options.row_report,
                          .digest_recipe = std::move(digest_recipe),
                          .digest_texts = options.encode.windows != Windows::rows});
}

/// The hash of the input, which its reader made on the way.
Result<void> take_input_hash(const Job& job, Outputs& outputs) {
  const std::string hash = job.reader.sha256();
  if (!job.input_sha256.empty() && hash != job.input_sha256) {
    return fail_in(job.reader.name(), ErrorCode::io_failed, "changed while it was read");
  }
  outputs.set_input_sha256(hash);
  return {};
}

/// Those of the vectors of a part that are about to be replaced.
Result<void> remove_manifests(const std::vector<std::filesystem::path>& outputs) {
  for (const std::filesystem::path& path : outputs) EMBD_TRY(remove_part_manifest(path));
  return {};
}

Result<Done> run(const Job& job) {
  const auto start = std::chrono::steady_clock::now();
  if (job.outputs.empty()) return fail(ErrorCode::invalid_argument, "no output");
  if (job.options.id_start && !job.input.id_field.empty())
    return fail(ErrorCode::invalid_argument, "ids are numbered or read from a field, not both");
  const Recipe recipe = EMBD_TRY(recipe_of(job));
  if (job.options.resume) EMBD_TRY(check_resumable(job.outputs));
  // Before the journal, which a run whose outputs are refused must neither leave nor begin anew.
  Outputs outputs = EMBD_TRY(create_outputs(job, recipe));
  std::optional<Journal> journal;
  if (job.options.resume) journal.emplace(EMBD_TRY(open_journal(job, recipe)));
  RecordStream records(job.reader, outputs.needs_texts(/*have_ids=*/false) || journal);

  Done done;
  const Report report =
      EMBD_TRY(embed_texts(job, records, outputs, journal ? &*journal : nullptr, done.num_texts));
  EMBD_TRY(take_input_hash(job, outputs));
  if (journal) EMBD_TRY(write_outputs(*journal, outputs, job.stop));
  EMBD_TRY(outputs.prepare());
  if (job.options.part) EMBD_TRY(remove_manifests(job.outputs));
  EMBD_TRY(outputs.finish());
  if (journal) EMBD_TRY(journal->remove());
  done.report = {
      .rows = outputs.num_rows(),
      .resumed_rows = outputs.num_rows() - std::min(outputs.num_rows(), report.rows),
      .tokens = report.tokens,
      .truncated_rows = outputs.num_truncated(),
      .repeated_rows = report.repeated_rows,
      .renamed_rows = outputs.num_renamed(),
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
      .digest = outputs.digest(),
      .losses = outputs.losses()};
  done.first_id = outputs.first_id();
  done.last_id = outputs.last_id();
  return done;
}

/// That the outputs can be those of a part.
Result<void> check_part_outputs(const std::vector<std::filesystem::path>& outputs,
                                const EmbedOptions& options, bool have_ids) {
  for (const std::filesystem::path& path : outputs) {
    if (is_stream(path)) {
      return fail(ErrorCode::invalid_argument,
                  "a part needs outputs with names, not " + stream_name(path));
    }
    if (find_invalid_utf8(path.filename().native())) {
      return fail_in(path, ErrorCode::invalid_argument,
                     "a part's manifest, which is JSON, keeps no name that is not UTF-8");
    }
    const Format& format = *EMBD_TRY(Outputs::format_of(path, options.output));
    if (!format.needs_ids || have_ids) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("{} names rows by their texts, among which a part does not know those "
                            "of the others: give the rows ids, or join parts of another format",
                            format.name));
  }
  for (const std::filesystem::path& path : outputs)
    EMBD_TRY(check_part_manifest(*options.part, path));
  return {};
}

/// Writes the manifest of one output: `manifest` with what the output's file gives back.
Result<void> write_manifest(const std::filesystem::path& path, const OutputOptions& options,
                            PartManifest manifest) {
  const Format& format = *EMBD_TRY(Outputs::format_of(path, options));
  const std::filesystem::path vectors =
      format.output_path(without_trailing_slash(path), options.write);
  manifest.vectors = vectors.filename();
  manifest.stored_digest = EMBD_TRY(digest_file(vectors, read_whole_part)).vectors_hex();
  const auto reader = EMBD_TRY(open_vectors(vectors, read_whole_part));
  if (auto recipe = EMBD_TRY(reader->recipe())) manifest.recipe = std::move(*recipe);
  return write_part_manifest(manifest, path);
}

Result<EmbedReport> embed_part(const Model& model, const std::filesystem::path& input,
                               const std::vector<std::filesystem::path>& outputs,
                               const InputOptions& texts, const EmbedOptions& options,
                               std::stop_token stop) {
  const bool window_rows = options.encode.windows == Windows::rows;
  const bool have_ids = !texts.id_field.empty() || options.id_start || window_rows;
  EMBD_TRY(check_part_outputs(outputs, options, have_ids));
  PartManifest manifest = {.part = *options.part,
                           .has_ids = have_ids,
                           .conditions = EMBD_TRY(row_conditions(texts, options))};
  const auto part = EMBD_TRY(PartReader::open(input, texts, *options.part));
  EmbedOptions numbered = options;
  // As in the whole, where a window is named after the line of its text.
  if (texts.id_field.empty() && (options.id_start || !window_rows))
    numbered.id_start =
        EMBD_TRY(number_after(options.id_start.value_or(0), part->num_records_before()));
  const Done done = EMBD_TRY(run({model, *part, outputs, texts, numbered, {}, std::move(stop)}));
  manifest.rows = done.report.rows;
  manifest.first_text = part->num_records_before();
  manifest.texts = done.num_texts;
  manifest.first_id = done.first_id;
  manifest.last_id = done.last_id;
  manifest.input_bytes = part->bytes_of_whole();
  manifest.input_sha256_before = part->sha256_before();
  manifest.input_sha256_after = part->sha256_so_far();
  manifest.digest = *done.report.digest;
  for (const std::filesystem::path& path : outputs)
    EMBD_TRY(write_manifest(path, options.output, manifest));
  return done.report;
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
    EMBD_TRY(check_embed_roles(input, outputs, options));
    InputOptions with_fields = texts;
    const RowFields fields =
        EMBD_TRY(RowFields::create(options.section_fields, options.column_fields));
    with_fields.fields = fields.section_names();
    with_fields.number_fields = fields.column_names();
    if (options.part)
      return embed_part(model, input, outputs, with_fields, options, std::move(stop));
    const auto reader = EMBD_TRY(open_records(input, with_fields, stop));
    // A journal of other texts is refused before anything is embedded, so the input is read once
    // more for its hash. Everybody else gets it from the one pass.
    std::string hash = options.resume ? EMBD_TRY(hash_of_file(input)) : std::string();
    const Done done = EMBD_TRY(
        run({model, *reader, outputs, with_fields, options, std::move(hash), std::move(stop)}));
    return done.report;
  });
}

Result<EmbedReport> embed_records(const Model& model, RecordReader& records,
                                  const std::vector<std::filesystem::path>& outputs,
                                  const EmbedOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<EmbedReport> {
    if (options.part) return fail(ErrorCode::invalid_argument, "parts are of files");
    EMBD_TRY(check_embed_roles({}, outputs, options));
    const Done done =
        EMBD_TRY(run({model, records, outputs, InputOptions(), options, {}, std::move(stop)}));
    return done.report;
  });
}

Result<EmbedReport> embed_texts(const Model& model, TextSource& texts,
                                const std::vector<std::filesystem::path>& outputs,
                                const EmbedOptions& options, std::stop_token stop) {
  TextRecords records(texts);
  return embed_records(model, records, outputs, options, std::move(stop));
}

}  // namespace embd
