#include "jobs/collect/passage_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "base/json_text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "jobs/convert/convert.h"

namespace embd::collection {
namespace {

struct TextColumn {
  const char* name;
  std::vector<std::string> PassageRows::* values;
};
constexpr std::array text_columns = {
    TextColumn{"file", &PassageRows::files}, TextColumn{"title", &PassageRows::titles},
    TextColumn{"headings", &PassageRows::headings}, TextColumn{"context", &PassageRows::contexts}};
struct NumbersOfColumn {
  const char* name;
  std::vector<std::int64_t> PassageRows::* values;
};
constexpr std::array number_columns = {NumbersOfColumn{"first_line", &PassageRows::first_lines},
                                       NumbersOfColumn{"last_line", &PassageRows::last_lines},
                                       NumbersOfColumn{"byte_begin", &PassageRows::byte_begins},
                                       NumbersOfColumn{"byte_end", &PassageRows::byte_ends}};

std::string json_of(const std::vector<std::string>& texts) {
  std::string json;
  append_json_strings(texts, json);
  return json;
}

/// A collection replaces folders of generations that an interrupted run has left.
Result<void> is_replaceable(const std::filesystem::path& /*folder*/) {
  return {};
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  if (!find_invalid_utf8(text)) return std::string(text);
  std::string valid;
  while (!text.empty()) {
    const std::size_t good = find_invalid_utf8(text).value_or(text.size());
    valid += text.substr(0, good);
    text.remove_prefix(good);
    if (text.empty()) break;
    valid += "\uFFFD";
    text.remove_prefix(decode_utf8(text.data(), text.data() + text.size()).size);
  }
  return valid;
}

std::string embedded_text(std::string_view context, std::string_view text) {
  if (context.empty()) return std::string(text);
  return std::string(context).append("\n").append(text);
}

void PassageRows::add(const Passage& passage, const std::string& name) {
  ids.push_back(fmt::format("{}:{}", name, passage.first_line));
  if (passage.column > 1) ids.back() += fmt::format(":{}", passage.column);
  texts.push_back(valid_utf8(passage.text));
  files.push_back(name);
  titles.push_back(valid_utf8(passage.title));
  headings.push_back(json_of(passage.headings));
  contexts.push_back(valid_utf8(passage.context));
  first_lines.push_back(static_cast<std::int64_t>(passage.first_line));
  last_lines.push_back(static_cast<std::int64_t>(passage.last_line));
  byte_begins.push_back(static_cast<std::int64_t>(passage.bytes.begin));
  byte_ends.push_back(static_cast<std::int64_t>(passage.bytes.end));
}

Result<PassageReader> PassageReader::open(const std::filesystem::path& path) {
  auto set = EMBD_TRY(open_vectors(path, {.format = "parquet"}));
  const auto has_columns = [](const TableSource& table) {
    const std::vector<std::string> texts = table.text_columns();
    const std::vector<NumberColumn> numbers = table.columns();
    return std::ranges::all_of(text_columns,
                               [&](const TextColumn& column) {
                                 return std::ranges::find(texts, column.name) != texts.end();
                               }) &&
           std::ranges::all_of(number_columns, [&](const NumbersOfColumn& column) {
             const auto found = std::ranges::find(numbers, column.name, &NumberColumn::name);
             return found != numbers.end() && found->type == ElementType::i64 && found->dim == 1;
           });
  };
  if (set->row_texts() == nullptr || set->table() == nullptr || !has_columns(*set->table()))
    return fail_in(path, ErrorCode::missing, "the file has not the columns of a collection");
  return PassageReader(std::move(set));
}

Result<std::vector<std::string>> PassageReader::ids() const {
  Ids ids = EMBD_TRY(set_->ids());
  if (auto* strings = std::get_if<std::vector<std::string>>(&ids)) return std::move(*strings);
  if (num_rows() == 0) return std::vector<std::string>();
  return fail(ErrorCode::missing, "the passages have no ids that are strings");
}

Result<std::vector<std::int64_t>> PassageReader::number_column(const char* name,
                                                               std::uint64_t first,
                                                               std::uint64_t count) const {
  std::vector<std::byte> bytes;
  EMBD_TRY(set_->table()->read_column(name, first, count, bytes));
  std::vector<std::int64_t> numbers(count);
  std::memcpy(numbers.data(), bytes.data(), sizeof(std::int64_t) * count);
  return numbers;
}

Result<PassageRows> PassageReader::rows(std::uint64_t first, std::uint64_t count) const {
  PassageRows rows;
  rows.texts = EMBD_TRY(texts(first, count));
  for (const auto& [name, values] : text_columns)
    rows.*values = EMBD_TRY(text_column(name, first, count));
  for (const auto& [name, values] : number_columns)
    rows.*values = EMBD_TRY(number_column(name, first, count));
  return rows;
}

Result<GenerationWriter> GenerationWriter::create(const std::filesystem::path& folder,
                                                  std::uint64_t dim, const Recipe& recipe,
                                                  Stemmer stemmer) {
  OutputDirectory out = EMBD_TRY(OutputDirectory::create(folder, is_replaceable));
  WriteOptions options = {.format = "parquet", .recipe = recipe};
  options.parquet.texts = true;
  for (const TextColumn& column : text_columns) options.text_columns.emplace_back(column.name);
  for (const NumbersOfColumn& column : number_columns)
    options.columns.push_back({.name = column.name, .type = ElementType::i64});
  auto vectors = EMBD_TRY(create_vectors(out.path() / "passages.parquet", dim, options));
  auto terms = EMBD_TRY(TermIndexBuilder::create({.stemmer = stemmer}));
  return GenerationWriter(std::move(out), std::move(vectors), std::move(terms));
}

void GenerationWriter::take_terms(TermIndex terms) {
  auto taken = std::make_unique<const TermIndex>(std::move(terms));
  if (terms_.add_rows(*taken, 0, 0)) old_terms_ = std::move(taken);
}

Result<void> GenerationWriter::append(MatrixView vectors, const PassageRows& passages) {
  EMBD_TRY(append_vectors(vectors, passages));
  return append_terms(passages);
}

Result<void> GenerationWriter::append_old(MatrixView vectors, const PassageRows& passages,
                                          std::uint64_t first) {
  EMBD_TRY(append_vectors(vectors, passages));
  return old_terms_ ? terms_.add_rows(*old_terms_, first, passages.size()) : append_terms(passages);
}

Result<void> GenerationWriter::append_terms(const PassageRows& passages) {
  for (std::size_t i = 0; i < passages.size(); ++i) EMBD_TRY(terms_.add(passages.embedded_text(i)));
  return {};
}

Result<void> GenerationWriter::append_vectors(MatrixView vectors, const PassageRows& passages) {
  std::vector<std::span<const std::string>> texts;
  for (const TextColumn& column : text_columns) texts.emplace_back(passages.*column.values);
  std::vector<Bytes> numbers;
  for (const NumbersOfColumn& column : number_columns)
    numbers.push_back(std::as_bytes(std::span(passages.*column.values)));
  EMBD_TRY(vectors_->table()->set_text_columns(texts));
  EMBD_TRY(vectors_->table()->set_columns(numbers));
  EMBD_TRY(vectors_->row_texts()->set_texts(passages.texts));
  return vectors_->append(vectors, passages.ids);
}

Result<void> GenerationWriter::finish(std::span<const FileEntry> files, std::uint64_t index_rows,
                                      int threads, const std::stop_token& stop) {
  EMBD_TRY(vectors_->finish());
  if (has_index(num_rows(), index_rows))
    EMBD_TRY(build_index(folder_.path() / "passages.parquet", {}, IndexIds::row_numbers,
                         folder_.path() / "passages.usearch", {.threads = threads}, stop));
  EMBD_TRY(EMBD_TRY(std::move(terms_).finish()).save(folder_.path() / "terms"));
  EMBD_TRY(write_file_table(folder_.path() / "files.parquet", files));
  return folder_.finish();
}

}  // namespace embd::collection
