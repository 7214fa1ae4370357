#include "jobs/embed/embed_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "base/utf8.h"
#include "jobs/row_ids.h"

namespace embd {

Result<void> EmbedSink::resume() {
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
        Error(ErrorCode::recipe_mismatch,
              fmt::format("the texts from here to line {1} are not those with which {0} was begun",
                          journal_->path().native(), record.line))
            .at_line(first_line)
            .in_file(file));
  }
  progress_.rows = progress_.resumed_rows = journal_->num_rows();
  progress_.share = records_.share_at(record);
  progress_.resumed_share = journal_->num_rows() > 0 ? progress_.share.value_or(0) : 0;
  rows_to_drop_ = journal_->windows_of_unfinished_text();
  if (rows_to_drop_ == 0) return {};
  // The last run ended between two windows of a text. Its first windows are computed again, because
  // the text must be tokenized as a whole.
  records_.put_back(std::move(record));
  --num_texts_;
  return {};
}

Result<void> EmbedSink::begin_text(RecordStream::Row record) {
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

/// Checks that the id is UTF-8, and the text, too, if it is stored or stands in for an id. In these
/// cases the record must have a text, not token ids.
Result<void> EmbedSink::check_strings() const {
  if (const auto* id = std::get_if<std::string>(&text_.id))
    if (const auto bad = find_invalid_utf8(*id))
      return fail(ErrorCode::invalid_utf8,
                  fmt::format("byte {} of the id is not part of a character in UTF-8", *bad));
  if (!outputs_.stores_texts(has_id())) return {};
  if (records_.reader().has_token_ids())
    return fail(ErrorCode::invalid_argument,
                "the texts were to be stored or used as ids, but the input is token ids, which "
                "have no texts");
  const auto bad = find_invalid_utf8(text_.text);
  if (!bad) return {};
  const bool is_stored = outputs_.stores_texts(/*have_ids=*/true);
  return fail(ErrorCode::invalid_utf8,
              fmt::format("byte {} of the text, which is {}, is not part of a character in UTF-8",
                          *bad, is_stored ? "to be stored" : "the id of its row"));
}

bool EmbedSink::has_id() const noexcept {
  return !std::holds_alternative<std::monostate>(text_.id);
}

std::unexpected<Error> EmbedSink::at_text(Error error) const {
  return std::unexpected(std::move(error).at_line(text_.line).in_file(records_.name_of(text_)));
}

Result<void> EmbedSink::check_length(const RowReport& report) const {
  if (!report.truncated || !options_.refuse_truncated) return {};
  return at_text(Error(ErrorCode::bad_value,
                       fmt::format("the text has {} tokens, more than the {} that {}",
                                   report.tokens, options_.max_length, options_.too_long)));
}

RecordId EmbedSink::row_id(const RowReport& report) const {
  if (!options_.window_rows) return text_.id;
  return fmt::format("{}#{}", has_id() ? record_id_text(text_.id) : fmt::to_string(text_.line),
                     report.window + 1);
}

Result<void> EmbedSink::write(MatrixView rows, std::span<const RowReport> reports) {
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

void EmbedSink::report_progress() {
  if (!options_.progress) return;
  progress_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  progress_.share = records_.share_at(text_);
  options_.progress(progress_);
}

Result<void> EmbedSink::pass_on(const RowBatch& batch) {
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

}  // namespace embd
