#include "jobs/analysis/analysis_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/path_text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "embd/searcher.h"
#include "formats/text/open_records.h"
#include "jobs/outputs/output_target.h"
#include "jobs/record_texts.h"
#include "jobs/row_ids.h"
#include "jobs/sets/format_table.h"
#include "jobs/stored_codes.h"

namespace embd {
namespace {

constexpr std::uint64_t no_record = ~std::uint64_t{0};

/// Gives the texts of a file to a model, and keeps the ids, lengths and, if asked for, texts in
/// `input`.
class TakenTexts final : public RecordTexts {
 public:
  TakenTexts(TextFiles& file, bool keep_texts, AnalysisInput& input)
      : file_(file), keep_texts_(keep_texts), input_(input) {}

  Result<bool> next(std::string& text) override {
    if (!EMBD_TRY(file_.next(record_))) return false;
    input_.lengths.push_back(count_characters(record_.text));
    input_.record_of_row.push_back(input_.record_of_row.size());
    ids_.push_back(record_.id);
    if (keep_texts_) input_.texts.push_back(record_.text);
    if (!record_.fields.empty()) input_.fields.push_back(record_.fields);
    std::swap(text, record_.text);
    return true;
  }
  RecordReader& reader() noexcept override { return file_.reader(); }
  const Record& record() const noexcept override { return record_; }
  Ids ids() { return ids_of(std::move(ids_)); }

 private:
  TextFiles& file_;
  bool keep_texts_;
  AnalysisInput& input_;
  Record record_;
  std::vector<RecordId> ids_;
};

/// Appends all rows to one vector of values.
class CollectingSink final : public RowSink {
 public:
  explicit CollectingSink(std::vector<float>& values) : values_(values) {}
  Result<void> write(MatrixView rows, std::span<const RowReport>) override {
    values_.insert(values_.end(), rows.values().begin(), rows.values().end());
    return {};
  }

 private:
  std::vector<float>& values_;
};

Result<AnalysisInput> encoded_texts(const AnalysisSource& source, const Model* model,
                                    const EncodeOptions& encode, bool keep_texts,
                                    const std::stop_token& stop) {
  if (model == nullptr)
    return fail_in(source.path(), ErrorCode::invalid_argument,
                   "the input is texts, but no model was given to embed them: name a model");
  if (!source.texts.empty()) {
    return fail_in(source.path(), ErrorCode::invalid_argument,
                   "the input is texts, but the texts of a vector set were named, too: name them "
                   "only if the input is vectors");
  }
  AnalysisInput input;
  input.file = EMBD_TRY(TextFiles::open(source.paths, source.input, stop));
  TakenTexts texts(*input.file, keep_texts, input);
  CollectingSink sink(input.encoded);
  EMBD_TRY(encode_records(*model, texts, sink, encode, stop));
  const std::size_t dim = encode.truncate_dim != 0 ? encode.truncate_dim : model->dim();
  input.rows = {input.encoded.data(), input.encoded.size() / dim, dim};
  input.ids = texts.ids();
  input.recipe = EMBD_TRY(model->recipe(encode));
  return input;
}

Result<void> check_rows_are_vectors(const AnalysisSource& source, const VectorReader& set) {
  const StoredCodes codes = EMBD_TRY(stored_codes(set));
  if (codes.type == OutputType::automatic) return {};
  return fail_in(source.path(), ErrorCode::unsupported,
                 "the rows are {} codes, which cannot be analyzed, expected the vectors from which "
                 "they were made",
                 output_type_name(codes.type));
}

Result<void> take_rows(AnalysisInput& input) {
  const std::uint64_t num_rows = input.set->info().num_rows;
  const std::uint64_t dim = input.set->info().dim;
  const PlainRowSource* plain = input.set->plain_rows();
  if (const auto mapped = plain != nullptr ? plain->view() : std::nullopt) {
    input.rows = *mapped;
    return {};
  }
  input.encoded.resize(num_rows * dim);
  EMBD_TRY(input.set->read(0, num_rows, input.encoded));
  input.rows = {input.encoded.data(), num_rows, dim};
  return {};
}

/// Stores the further fields of a record as those of a row.
void take_fields(const Record& record, std::uint64_t row, AnalysisInput& input) {
  if (record.fields.empty()) return;
  input.fields.resize(input.rows.rows());
  input.fields[row] = record.fields;
}

void take_text(std::string text, std::uint64_t row, bool keep_texts, AnalysisInput& input) {
  input.lengths[row] = count_characters(text);
  if (keep_texts) input.texts[row] = std::move(text);
}

Result<void> take_stored_texts(bool keep_texts, AnalysisInput& input) {
  const std::uint64_t num_rows = input.rows.rows();
  for (std::uint64_t first = 0; first < num_rows;) {
    const std::uint64_t count = std::min(rows_at_once(input.rows.cols()), num_rows - first);
    std::vector<std::string> texts = EMBD_TRY(input.set->row_texts()->texts(first, count));
    for (std::uint64_t i = 0; i < count; ++i)
      take_text(std::move(texts[i]), first + i, keep_texts, input);
    first += count;
  }
  return {};
}

/// Returns the rows that have each id.
std::unordered_map<std::string, std::vector<std::uint64_t>> rows_by_id(const AnalysisInput& input) {
  std::unordered_map<std::string, std::vector<std::uint64_t>> rows;
  std::vector<std::string> ids = id_strings(input.ids, input.rows.rows());
  for (std::uint64_t row = 0; row < ids.size(); ++row) rows[std::move(ids[row])].push_back(row);
  return rows;
}

/// Reads all records, and stores the text of each for the rows that have its id.
Result<void> take_texts_by_id(bool keep_texts, AnalysisInput& input) {
  const auto rows = rows_by_id(input);
  Record record;
  while (EMBD_TRY(input.file->next(record))) {
    const auto found = rows.find(record_id_text(record.id));
    if (found == rows.end()) continue;
    for (const std::uint64_t row : found->second) {
      if (input.record_of_row[row] != no_record) {
        return std::unexpected(
            Error(ErrorCode::duplicate, fmt::format("another text with the id {:?} came before it, "
                                                    "expected a different id for each text",
                                                    found->first))
                .at_line(record.line)
                .in_file(input.file->name()));
      }
      input.record_of_row[row] = input.file->num_records() - 1;
      take_text(record.text, row, keep_texts, input);
      take_fields(record, row, input);
    }
  }
  const auto without = std::ranges::find(input.record_of_row, no_record);
  if (without == input.record_of_row.end()) return {};
  const auto row = static_cast<std::uint64_t>(without - input.record_of_row.begin());
  return fail_in(path_of_text(input.file->name()), ErrorCode::missing,
                 "no text has the id {:?}, which row {} has, expected a text for each row",
                 id_text(input.ids, row), row);
}

Result<void> take_texts_in_order(bool keep_texts, AnalysisInput& input) {
  Record record;
  const std::uint64_t num_rows = input.rows.rows();
  while (EMBD_TRY(input.file->next(record))) {
    const std::uint64_t row = input.file->num_records() - 1;
    if (row >= num_rows) break;
    input.record_of_row[row] = row;
    take_fields(record, row, input);
    take_text(std::move(record.text), row, keep_texts, input);
  }
  if (input.file->num_records() == num_rows) return {};
  return fail_in(
      path_of_text(input.file->name()), ErrorCode::bad_count,
      input.file->num_records() < num_rows
          ? fmt::format("there are {} texts for {} rows, expected one text for each row",
                        input.file->num_records(), num_rows)
          : fmt::format("there are more texts than the {} rows, expected one text for each row",
                        num_rows));
}

Result<void> take_texts(const AnalysisSource& source, bool keep_texts, const std::stop_token& stop,
                        AnalysisInput& input) {
  const bool are_stored = source.texts.empty() && input.set->row_texts() != nullptr;
  if (source.texts.empty() && !are_stored) return {};
  input.lengths.resize(input.rows.rows());
  if (keep_texts) input.texts.resize(input.rows.rows());
  if (are_stored) return take_stored_texts(keep_texts, input);
  if (input.recipe && input.recipe->windows == Windows::rows) {
    return fail_in(source.texts, ErrorCode::unsupported,
                   "each row is the vector of a window, and a text has several windows, expected "
                   "one row for each text");
  }
  input.file = EMBD_TRY(TextFiles::open({&source.texts, 1}, source.input, stop));
  input.record_of_row.assign(input.rows.rows(), no_record);
  return !has_ids(source.input) ? take_texts_in_order(keep_texts, input)
                                : take_texts_by_id(keep_texts, input);
}

Result<AnalysisInput> stored_rows(const AnalysisSource& source, bool keep_texts,
                                  const std::stop_token& stop) {
  AnalysisInput input;
  input.set = EMBD_TRY(open_vectors(source.path(), source.read));
  input.recipe = EMBD_TRY(input.set->recipe());
  input.ids = EMBD_TRY(input.set->ids());
  EMBD_TRY(check_rows_are_vectors(source, *input.set));
  EMBD_TRY(take_rows(input));
  EMBD_TRY(take_texts(source, keep_texts, stop, input));
  return input;
}

/// Returns true if a path of a source holds texts.
Result<bool> is_of_texts(const std::filesystem::path& path, const AnalysisSource& source) {
  if (!source.read.format.empty()) return false;
  if (path == "-" || !source.texts.empty()) return path == "-";
  if (has_name_of_texts(path)) return true;
  if (source.input.format) return true;
  const auto format = format_of_input(path, {});
  if (format) return false;
  if (format.error().code() == ErrorCode::not_found ||
      format.error().code() == ErrorCode::io_failed)
    return std::unexpected(format.error());
  return true;
}

}  // namespace

Result<bool> holds_texts(const AnalysisSource& source) {
  if (source.paths.empty())
    return fail(ErrorCode::invalid_argument, "no input was given, expected at least one");
  bool are_texts = true;
  for (const std::filesystem::path& path : source.paths) {
    are_texts = EMBD_TRY(is_of_texts(path, source));
    if (!are_texts && source.paths.size() > 1)
      return fail_in(path, ErrorCode::invalid_argument,
                     "a vector set is analyzed alone, but several inputs were given, expected "
                     "files and folders of texts");
  }
  return are_texts;
}

Result<AnalysisInput> read_analysis_input(const AnalysisSource& source, const Model* model,
                                          const EncodeOptions& encode, bool keep_texts,
                                          const std::stop_token& stop) {
  return EMBD_TRY(holds_texts(source)) ? encoded_texts(source, model, encode, keep_texts, stop)
                                       : stored_rows(source, keep_texts, stop);
}

std::vector<std::string_view> views_of(std::span<const std::string> texts) {
  return {texts.begin(), texts.end()};
}

Result<void> add_source_roles(const AnalysisSource& source, const std::string& role,
                              PathRoles& roles) {
  if (EMBD_TRY(holds_texts(source))) {
    for (const std::filesystem::path& file : EMBD_TRY(input_files(source.paths)))
      roles.reads(role, file);
  } else {
    reads_vectors(roles, role, source.path());
  }
  roles.reads("the texts", source.texts);
  return {};
}

}  // namespace embd
