#include "jobs/embed/embed_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/path_text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "embd/model.h"
#include "jobs/embed/journal.h"
#include "jobs/embed/part_manifest.h"
#include "jobs/outputs/outputs.h"
#include "jobs/outputs/streams.h"
#include "jobs/row_ids.h"

namespace embd {
namespace {

/// Computes the hash of all records up to the end of a block. The hash of a block includes the hash
/// of the block before it.
class TextsHasher {
 public:
  void add(const RecordStream::Row& record) {
    const std::string id = record_id_text(record.id);
    hash_.update(fmt::format("{} {} {} {} {}\n", record.line, record.id.index(), id.size(),
                             record.text.size(), record.fields.size()));
    hash_.update(id);
    hash_.update(record.text);
    hash_.update(record.fields);
  }
  TextsHash end_block() {
    const TextsHash hash = std::exchange(hash_, Sha256()).digest();
    hash_.update(Bytes(hash));
    return hash;
  }

 private:
  Sha256 hash_;
};

/// Receives rows from the model, adds what belongs to them (ids, lines, fields), and passes them
/// on: to the journal if there is one, otherwise to the outputs.
class EmbedSink final : public RowSink {
 public:
  struct Options {
    std::optional<std::uint64_t> id_start = {};  ///< the id of the first text
    bool refuse_truncated = false;
    /// True if each window has a row, so that its number is part of its id.
    bool window_rows = false;
    std::uint32_t max_length = 0;    ///< the number of tokens that texts are cut to
    std::string_view too_long = {};  ///< the result of RowMaker::too_long()
    std::function<void(const EmbedProgress&)> progress = {};
  };

  /// `journal` may be null. Everything that is referred to must outlive the sink.
  EmbedSink(RecordStream& records, Outputs& outputs, Journal* journal, Options options)
      : options_(std::move(options)), records_(records), outputs_(outputs), journal_(journal) {}

  /// Skips the records whose rows are in the journal. Fails with recipe_mismatch if the journal was
  /// made of other records.
  Result<void> resume() {
    RecordStream::Row record;
    for (const Journal::Source& source : journal_->sources()) {
      std::string_view file = records_.name_of(record);
      std::uint64_t first_line = record.line + 1;
      for (std::uint64_t i = 0; i < source.num_records && EMBD_TRY(records_.skip(record)); ++i) {
        if (i == 0) {
          file = records_.name_of(record);
          first_line = record.line;
        }
        EMBD_TRY(begin_text(record));
        hasher_.add(text_);
      }
      if (hasher_.end_block() == source.hash) continue;
      return std::unexpected(
          Error(
              ErrorCode::recipe_mismatch,
              fmt::format("the texts from here to line {1} are not those with which {0} was begun",
                          text_of_path(journal_->path()), record.line))
              .at_line(first_line)
              .in_file(file));
    }
    progress_.rows = progress_.resumed_rows = journal_->num_rows();
    progress_.share = records_.share_at(record);
    progress_.resumed_share = journal_->num_rows() > 0 ? progress_.share.value_or(0) : 0;
    rows_to_drop_ = journal_->windows_of_unfinished_text();
    if (rows_to_drop_ == 0) return {};
    // The last run ended between two windows of a text. Its first windows are computed again,
    // because the text must be tokenized as a whole.
    records_.put_back(std::move(record));
    --num_texts_;
    return {};
  }
  Result<void> write(MatrixView rows, std::span<const RowReport> reports) override {
    RowBatch batch;
    std::vector<RecordId> ids;
    const std::uint64_t drop = std::min<std::uint64_t>(rows_to_drop_, rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const RowReport& report = reports[i];
      if (report.window == 0) EMBD_TRY(begin_text(records_.take()));
      EMBD_TRY(check_length(report));
      progress_.tokens += std::min(report.tokens, options_.max_length);
      if (i < drop) continue;
      if (report.window == 0) {
        ++source_.num_records;
        if (journal_ != nullptr) hasher_.add(text_);
      }
      ids.push_back(row_id(report));
      batch.notes.push_back({.line = text_.line,
                             .tokens = report.tokens,
                             .window = report.window,
                             .windows = report.windows,
                             .truncated = report.truncated,
                             .place = report.place,
                             .is_blank = text_.is_blank});
      if (outputs_.needs_texts(!std::holds_alternative<std::monostate>(ids.back())))
        batch.texts.push_back(text_.text);
      if (!text_.file.empty()) batch.files.emplace_back(text_.file);
      if (!outputs_.fields().is_empty()) batch.fields.push_back(text_.fields);
    }
    rows_to_drop_ -= drop;
    batch.rows = rows.slice(drop, rows.rows() - drop);
    batch.ids = ids_of(std::move(ids));
    EMBD_TRY(pass_on(batch));
    progress_.rows += batch.rows.rows();
    report_progress();
    return {};
  }
  /// Returns the number of texts of this run and of the runs that it continues.
  std::uint64_t num_texts() const noexcept { return num_texts_; }

 private:
  Result<void> begin_text(RecordStream::Row record) {
    text_ = std::move(record);
    if (options_.id_start) {
      const auto id = number_after(*options_.id_start, num_texts_);
      if (!id) return at_text(id.error());
      text_.id = *id;
    }
    ++num_texts_;
    if (auto fit = outputs_.fields().check(text_.fields); !fit)
      return at_text(std::move(fit).error());
    if (auto good = check_strings(); !good) return at_text(std::move(good).error());
    if (!id_kind_) id_kind_ = text_.id.index();
    if (text_.id.index() == *id_kind_) return {};
    return at_text(Error(ErrorCode::bad_type,
                         "the ids are not all of one kind, expected a string on every line or a "
                         "whole number on every line"));
  }
  /// Checks that the id is UTF-8, and the text, too, if it is stored or stands in for an id. In
  /// these cases the record must have a text, not token ids.
  Result<void> check_strings() const {
    if (const auto* id = std::get_if<std::string>(&text_.id))
      if (const auto bad = find_invalid_utf8(*id))
        return fail(ErrorCode::invalid_utf8,
                    "byte {} of the id is not part of a character in UTF-8", *bad);
    if (!outputs_.stores_texts(has_id())) return {};
    if (records_.reader().has_token_ids())
      return fail(ErrorCode::invalid_argument,
                  "the texts were to be stored or used as ids, but the input is token ids, which "
                  "have no texts");
    const auto bad = find_invalid_utf8(text_.text);
    if (!bad) return {};
    const bool is_stored = outputs_.stores_texts(/*have_ids=*/true);
    return fail(ErrorCode::invalid_utf8,
                "byte {} of the text, which is {}, is not part of a character in UTF-8", *bad,
                is_stored ? "to be stored" : "the id of its row");
  }
  bool has_id() const noexcept { return !std::holds_alternative<std::monostate>(text_.id); }
  /// Adds to an error the file and the line of the text whose rows come next.
  std::unexpected<Error> at_text(Error error) const {
    return std::unexpected(std::move(error).at_line(text_.line).in_file(records_.name_of(text_)));
  }
  Result<void> check_length(const RowReport& report) const {
    if (!report.truncated || !options_.refuse_truncated) return {};
    return at_text(Error(ErrorCode::bad_value,
                         fmt::format("the text has {} tokens, more than the {} that {}",
                                     report.tokens, options_.max_length, options_.too_long)));
  }
  RecordId row_id(const RowReport& report) const {
    if (!options_.window_rows) return text_.id;
    return fmt::format("{}#{}", has_id() ? record_id_text(text_.id) : fmt::to_string(text_.line),
                       report.window + 1);
  }
  Result<void> pass_on(const RowBatch& batch) {
    if (journal_ == nullptr) {
      auto appended = outputs_.append(batch);
      if (appended || appended.error().code() != ErrorCode::duplicate) return appended;
      return std::unexpected(std::move(appended).error().in_file(records_.reader().name()));
    }
    if (batch.notes.empty()) return {};
    source_.hash = hasher_.end_block();
    EMBD_TRY(journal_->append(batch, source_));
    source_ = {};
    return {};
  }
  void report_progress() {
    if (!options_.progress) return;
    progress_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    progress_.share = records_.share_at(text_);
    options_.progress(progress_);
  }

  const Options options_;
  RecordStream& records_;
  Outputs& outputs_;
  Journal* journal_;

  RecordStream::Row text_;  // the text whose rows are being received
  std::uint64_t num_texts_ = 0;
  std::optional<std::size_t> id_kind_;
  std::uint64_t rows_to_drop_ = 0;  // rows that come again, but are in the journal already
  Journal::Source source_;
  TextsHasher hasher_;
  EmbedProgress progress_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Returns the recipe of the outputs. Hashing the model for it takes longer than embedding a
/// sentence. So the model is not hashed if all outputs are JSON Lines on standard output, which
/// have no place for a recipe.
Result<Recipe> recipe_of(const EmbedRun& run) {
  const EmbedOptions& options = run.plan.options;
  const auto is_output = [](const OutputTarget& output) { return is_standard_output(output.path); };
  const bool has_room = options.resume || !options.output.format.empty() ||
                        !std::ranges::all_of(run.plan.outputs, is_output);
  Recipe recipe;
  if (has_room) {
    recipe = EMBD_TRY(run.maker.recipe());
    // The model's prompt is put before texts, but not before token ids.
    if (run.reader.has_token_ids()) recipe.prompt.clear();
  } else {
    recipe.truncate_dim = run.maker.dim();
  }
  recipe.input_sha256 = run.input_sha256;
  const std::string_view type = output_type_name(options.output.type);
  if (!type.empty()) recipe.output_type = type;
  return recipe;
}

Result<Journal> open_journal(const EmbedRun& run, const Recipe& recipe) {
  const Conditions conditions = EMBD_TRY(run_conditions(run.plan, recipe));
  return Journal::open(journal_path(run.plan.outputs.front().path), conditions, recipe.truncate_dim,
                       run.plan.options.restart);
}

/// Writes all rows in the journal, including those of earlier runs, to the outputs.
Result<void> write_outputs(Journal& journal, Outputs& outputs, const std::stop_token& stop) {
  return journal.for_each([&](const RowBatch& batch) -> Result<void> {
    if (stop.stop_requested()) return fail_stopped();
    return outputs.append(batch);
  });
}

Result<Report> make_rows(const EmbedRun& run, RecordStream& records, Outputs& outputs,
                         Journal* journal, std::uint64_t& num_texts) {
  const EmbedOptions& options = run.plan.options;
  EmbedSink sink(records, outputs, journal,
                 {.id_start = options.id_start,
                  .refuse_truncated = options.refuse_truncated,
                  .window_rows = options.encode.windows == Windows::rows,
                  .max_length = run.maker.max_length(),
                  .too_long = run.maker.too_long(),
                  .progress = options.progress});
  if (journal != nullptr) EMBD_TRY(sink.resume());
  auto report = run.maker.make_rows(records, sink, run.stop);
  num_texts = sink.num_texts();
  return report;
}

/// Returns true if each row is made of one text, and each text makes one row.
bool has_text_of_its_own(const EmbedPlan& plan) {
  return plan.kind == RowKind::vector && plan.options.encode.windows != Windows::rows;
}

/// Sets the columns of an output: those of the job that its format can hold.
void set_columns(const RowFields& fields, bool places, OutputTarget& target) {
  WriteOptions& write = target.options.write;
  const Room room = target.format->room(target.path, write);
  write.columns = fields.columns();
  if (room.text_columns) write.text_columns = fields.text_columns();
  if (!room.places || !places) return;
  for (NumberColumn& column : place_columns()) write.columns.push_back(std::move(column));
}

Result<Outputs> create_outputs(const EmbedRun& run, const Recipe& recipe) {
  const EmbedPlan& plan = run.plan;
  const bool are_windows = plan.options.encode.windows == Windows::rows;
  const bool have_places = are_windows && !run.reader.has_token_ids();
  std::vector<OutputTarget> targets = plan.outputs;
  for (OutputTarget& target : targets) {
    target.options.write.recipe = recipe;
    target.options.write.index.threads = plan.options.encode.threads;
    set_columns(plan.fields, have_places, target);
    target.options.write.kind = plan.kind;
  }
  // A digest is bound to a model, so there is none if the model was not hashed.
  std::optional<Recipe> digest_recipe;
  if (!recipe.model_sha256.empty()) digest_recipe = recipe;
  TermOptions terms = plan.options.terms;
  terms.model = run.maker.model();
  return Outputs::create(targets, {.rows = {.dim = recipe.truncate_dim},
                                   .fields = plan.fields,
                                   .places = have_places,
                                   .row_report = plan.options.row_report,
                                   .digest_recipe = std::move(digest_recipe),
                                   .digest_texts = has_text_of_its_own(plan),
                                   .terms = plan.terms,
                                   .term_options = terms});
}

/// Gives the outputs the hash of the input, which the reader has computed while reading. Fails with
/// io_failed if it is not the hash that was known before, because then the input has changed.
Result<void> take_input_hash(const EmbedRun& run, Outputs& outputs) {
  const std::string hash = run.reader.sha256();
  if (!run.input_sha256.empty() && hash != run.input_sha256) {
    return fail_in(
        path_of_text(run.reader.name()), ErrorCode::io_failed,
        "the file was changed while it was read: try again when no other program changes it");
  }
  outputs.set_input_sha256(hash);
  return {};
}

/// Removes the manifests of a part's vectors, which are about to be replaced.
Result<void> remove_manifests(const EmbedPlan& plan) {
  if (!plan.options.part) return {};
  for (const OutputTarget& output : plan.outputs) EMBD_TRY(remove_part_manifest(output.path));
  return {};
}

}  // namespace

Result<WrittenRows> run_embedding(const EmbedRun& run) {
  const auto start = std::chrono::steady_clock::now();
  const Recipe recipe = EMBD_TRY(recipe_of(run));
  // Outputs are created before the journal is opened. If they are refused, no journal is left
  // behind, and an existing one is not begun anew.
  Outputs outputs = EMBD_TRY(create_outputs(run, recipe));
  std::optional<Journal> journal;
  if (run.plan.options.resume) journal.emplace(EMBD_TRY(open_journal(run, recipe)));
  RecordStream records(run.reader, outputs.needs_texts(/*have_ids=*/false) || journal);

  WrittenRows done;
  const Report report =
      EMBD_TRY(make_rows(run, records, outputs, journal ? &*journal : nullptr, done.num_texts));
  EMBD_TRY(take_input_hash(run, outputs));
  if (journal) EMBD_TRY(write_outputs(*journal, outputs, run.stop));
  EMBD_TRY(outputs.prepare());
  EMBD_TRY(remove_manifests(run.plan));
  EMBD_TRY(outputs.finish());
  if (journal) EMBD_TRY(journal->remove());
  done.report = {
      .rows = outputs.num_rows(),
      .resumed_rows = outputs.num_rows() - std::min(outputs.num_rows(), report.rows),
      .tokens = report.tokens,
      .truncated_rows = outputs.num_truncated(),
      .empty_rows = outputs.num_blank(),
      .repeated_rows = report.repeated_rows,
      .renamed_rows = outputs.num_renamed(),
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
      .digest = outputs.digest(),
      .losses = outputs.losses()};
  done.first_id = outputs.first_id();
  done.last_id = outputs.last_id();
  return done;
}

}  // namespace embd
