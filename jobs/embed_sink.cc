#include "jobs/embed_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

/// The rows' ids, which are all of one kind.
Ids ids_of(std::vector<RecordId> row_ids) {
  if (row_ids.empty() || std::holds_alternative<std::monostate>(row_ids.front())) return Ids{};
  if (std::holds_alternative<std::uint64_t>(row_ids.front())) {
    std::vector<std::uint64_t> numbers;
    for (const RecordId& id : row_ids) numbers.push_back(std::get<std::uint64_t>(id));
    return numbers;
  }
  std::vector<std::string> strings;
  for (RecordId& id : row_ids) strings.push_back(std::move(std::get<std::string>(id)));
  return strings;
}

std::string id_text(const RecordId& id) {
  if (const auto* string = std::get_if<std::string>(&id)) return *string;
  const auto* number = std::get_if<std::uint64_t>(&id);
  return number != nullptr ? fmt::to_string(*number) : std::string();
}

}  // namespace

void TextsHasher::add(const RecordStream::Row& record) {
  const std::string id = id_text(record.id);
  hash_.update(fmt::format("{} {} {} {} {}\n", record.line, record.id.index(), id.size(),
                           record.text.size(), record.fields.size()));
  hash_.update(id);
  hash_.update(record.text);
  hash_.update(record.fields);
}

TextsHash TextsHasher::end_block() {
  const TextsHash hash = std::exchange(hash_, Sha256()).digest();
  hash_.update(Bytes(hash));
  return hash;
}

Result<void> EmbedSink::resume() {
  RecordStream::Row record;
  for (const Journal::Source& source : journal_->sources()) {
    const std::uint64_t first_line = record.line + 1;
    for (std::uint64_t i = 0; i < source.num_records && EMBD_TRY(records_.skip(record)); ++i) {
      EMBD_TRY(begin_text(record));
      hasher_.add(text_);
    }
    if (hasher_.end_block() == source.hash) continue;
    return std::unexpected(
        Error(ErrorCode::recipe_mismatch,
              fmt::format("not the texts that {} was begun with, from here to line {}; --force "
                          "begins anew",
                          journal_->path().native(), record.line))
            .at_line(first_line)
            .in_file(records_.reader().name()));
  }
  num_rows_ = journal_->num_rows();
  rows_to_drop_ = journal_->windows_of_unfinished_text();
  if (rows_to_drop_ == 0) return {};
  // A text between two of its windows: its first ones are made again, to get to the others.
  records_.put_back(std::move(record));
  --num_texts_;
  return {};
}

Result<void> EmbedSink::begin_text(RecordStream::Row record) {
  text_ = std::move(record);
  if (options_.id_start) text_.id = *options_.id_start + num_texts_;
  ++num_texts_;
  if (auto fit = output_.fields().check(text_.fields); !fit) return at_text(std::move(fit).error());
  if (auto good = check_id(); !good) return at_text(std::move(good).error());
  if (!id_kind_) id_kind_ = text_.id.index();
  if (text_.id.index() == *id_kind_) return {};
  return at_text(Error(ErrorCode::bad_type,
                       "the id, expected a string on every line or a whole number on every line"));
}

/// Ids are UTF-8 in every format, and so is the text that stands in for one.
Result<void> EmbedSink::check_id() const {
  const auto* id = std::get_if<std::string>(&text_.id);
  const bool stands_in = output_.needs_ids() && std::holds_alternative<std::monostate>(text_.id);
  if (id == nullptr && !stands_in) return {};
  const auto bad = find_invalid_utf8(id != nullptr ? *id : text_.text);
  if (!bad) return {};
  return fail(ErrorCode::invalid_utf8, fmt::format("byte {} of the {}", *bad,
                                                   id != nullptr ? "id" : "text, which is the id"));
}

std::unexpected<Error> EmbedSink::at_text(Error error) const {
  return std::unexpected(std::move(error).at_line(text_.line).in_file(records_.reader().name()));
}

Result<void> EmbedSink::check_length(const RowReport& report) const {
  if (!report.truncated || !options_.refuse_truncated) return {};
  return at_text(
      Error(ErrorCode::bad_value,
            fmt::format("{} tokens, more than the model takes at once; --on-truncate warn cuts "
                        "them, --windows embeds them in parts",
                        report.tokens)));
}

RecordId EmbedSink::row_id(const RowReport& report) const {
  if (!options_.window_rows) return text_.id;
  const bool has_id = !std::holds_alternative<std::monostate>(text_.id);
  return fmt::format("{}#{}", has_id ? id_text(text_.id) : fmt::to_string(text_.line),
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
    if (i < drop) continue;
    if (report.window == 0) {
      ++source_.num_records;
      if (journal_ != nullptr) hasher_.add(text_);
    }
    ids.push_back(row_id(report));
    const bool stand_in = output_.needs_ids() && std::holds_alternative<std::monostate>(ids.back());
    batch.notes.push_back({.line = text_.line,
                           .tokens = report.tokens,
                           .window = report.window,
                           .windows = report.windows,
                           .truncated = report.truncated});
    if (stand_in) batch.texts.push_back(std::move(text_.text));
    if (!text_.fields.empty()) batch.fields.push_back(text_.fields);
  }
  rows_to_drop_ -= drop;
  batch.rows = rows.slice(drop, rows.rows() - drop);
  batch.ids = ids_of(std::move(ids));
  EMBD_TRY(pass_on(batch));
  num_rows_ += batch.rows.rows();
  if (options_.progress) options_.progress(num_rows_, records_.share_read());
  return {};
}

Result<void> EmbedSink::pass_on(const RowBatch& batch) {
  if (journal_ == nullptr) {
    auto appended = output_.append(batch);
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
