#include "jobs/search/row_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <optional>
#include <unordered_map>

#include "base/decimal.h"
#include "base/try.h"
#include "jobs/recipe_check.h"
#include "jobs/row_ids.h"

namespace embd {
namespace {

std::size_t hash_of(std::uint64_t id) noexcept {
  id = (id ^ (id >> 32)) * 0x9E3779B97F4A7C15;
  return id ^ (id >> 32);
}
std::size_t hash_of(std::string_view id) noexcept {
  return std::hash<std::string_view>()(id);
}

constexpr std::uint64_t nowhere = ~std::uint64_t{0};
constexpr std::uint64_t texts_at_once = 4096;

std::vector<std::uint64_t> rows_in(const RowHits& hits) {
  std::vector<std::uint64_t> rows;
  for (const auto& of_query : hits)
    for (const RowHit& hit : of_query) rows.push_back(hit.row);
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

}  // namespace

RowsById::RowsById(const Ids& ids, std::uint64_t num_rows) : ids_(ids), num_rows_(num_rows) {
  const auto link_all = [&](const auto& values) {
    heads_.assign(std::bit_ceil(std::max<std::size_t>(1, values.size())), end);
    next_.resize(values.size());
    for (std::uint64_t row = 0; row < values.size(); ++row) {
      std::uint64_t& head = heads_[hash_of(values[row]) & (heads_.size() - 1)];
      next_[row] = head;
      head = row;
    }
  };
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids)) link_all(*numbers);
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) link_all(*strings);
}

void RowsById::add_rows_of(std::string_view wanted, std::vector<std::uint64_t>& rows) const {
  const auto follow = [&](const auto& values, const auto& id) {
    for (std::uint64_t row = heads_[hash_of(id) & (heads_.size() - 1)]; row != end;
         row = next_[row])
      if (values[row] == id) rows.push_back(row);
  };
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids_))
    return follow(*strings, wanted);
  const std::optional<std::uint64_t> number = plain_number(wanted);
  if (!number) return;
  if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids_))
    return follow(*numbers, *number);
  if (*number < num_rows_) rows.push_back(*number);
}

std::vector<std::uint64_t> RowsById::rows_of(std::span<const std::string> wanted) const {
  std::vector<std::uint64_t> rows;
  for (const std::string& id : wanted) add_rows_of(id, rows);
  std::ranges::sort(rows);
  const auto repeated = std::ranges::unique(rows);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

TextsOfWindows::TextsOfWindows(const Ids& ids, const Recipe& recipe, const Model* model)
    : ids_(ids), model_(model) {
  if (model != nullptr) options_ = options_of(recipe, {}, *model);
}

std::string_view TextsOfWindows::id(std::uint64_t row) const {
  const auto* strings = std::get_if<std::vector<std::string>>(&ids_);
  return strings == nullptr ? std::string_view() : std::string_view((*strings)[row]);
}

std::string_view TextsOfWindows::text_key(std::uint64_t row) const {
  const std::string_view id = this->id(row);
  return id.substr(0, id.rfind('#'));
}

Result<void> TextsOfWindows::cut(std::string_view text) {
  if (text == text_ && !windows_.empty()) return {};
  windows_ = EMBD_TRY(model_->windows(text, options_));
  text_ = text;
  return {};
}

Result<std::string_view> TextsOfWindows::part_of(std::string_view text, std::uint64_t row) {
  if (model_ == nullptr) return text;
  const std::string_view id = this->id(row);
  std::size_t number = 0;
  std::from_chars(id.data() + text_key(row).size() + 1, id.data() + id.size(), number);
  EMBD_TRY(cut(text));
  if (number == 0 || number > windows_.size()) {
    return fail(ErrorCode::recipe_mismatch,
                "the text has {} windows, so the row {:?} cannot be one of them: the vectors were "
                "made from another text",
                windows_.size(), id);
  }
  const ByteRange& bytes = windows_[number - 1].place->bytes;
  return text.substr(bytes.begin, bytes.end - bytes.begin);
}

std::string_view RowTexts::operator[](std::uint64_t row) const noexcept {
  std::size_t index = row;
  if (rows_)
    index = static_cast<std::size_t>(std::ranges::lower_bound(*rows_, row) - rows_->begin());
  return std::string_view(bytes_).substr(places_[index].begin, places_[index].size);
}

RowTextsBuilder::RowTextsBuilder(std::uint64_t num_rows, const RowHits* hits,
                                 TextsOfWindows* windows)
    : windows_(windows) {
  if (hits != nullptr) texts_.rows_ = rows_in(*hits);
  texts_.places_.assign(texts_.rows_ ? texts_.rows_->size() : num_rows, {nowhere, 0});
}

RowTexts::Place* RowTextsBuilder::place_of(std::uint64_t row) {
  if (!texts_.rows_) return row < texts_.places_.size() ? &texts_.places_[row] : nullptr;
  const auto at = std::ranges::lower_bound(*texts_.rows_, row);
  if (at == texts_.rows_->end() || *at != row) return nullptr;
  return &texts_.places_[static_cast<std::size_t>(at - texts_.rows_->begin())];
}

RowTexts::Place RowTextsBuilder::add(std::string_view text) {
  const RowTexts::Place place = {texts_.bytes_.size(), text.size()};
  texts_.bytes_ += text;
  return place;
}

Result<void> RowTextsBuilder::read_in_order(const std::filesystem::path& path,
                                            const InputOptions& input, std::uint64_t first_row,
                                            std::uint64_t num_rows) {
  const auto reader = EMBD_TRY(open_records(path, input));
  Record record;
  std::uint64_t num_texts = 0;
  for (; EMBD_TRY(reader->next(record)); ++num_texts) {
    RowTexts::Place* place = num_texts < num_rows ? place_of(first_row + num_texts) : nullptr;
    if (place != nullptr) *place = add(record.text);
  }
  if (num_texts == num_rows) return {};
  return fail_in(path, ErrorCode::bad_count,
                 "there are {} texts for {} rows, expected one text for each row", num_texts,
                 num_rows);
}

Result<void> RowTextsBuilder::read_by_id(const std::filesystem::path& path,
                                         const InputOptions& input, const RowsById& rows_by_id) {
  const auto reader = EMBD_TRY(open_records(path, input));
  Record record;
  while (EMBD_TRY(reader->next(record))) {
    const std::string id = record_id_text(record.id);
    RowTexts::Place added = {nowhere, 0};
    for (const std::uint64_t row : rows_by_id.rows_of({&id, 1})) {
      RowTexts::Place* place = place_of(row);
      if (place == nullptr) continue;
      if (place->begin != nowhere) {
        return std::unexpected(
            Error(ErrorCode::duplicate, fmt::format("another text with the id {:?} came before it, "
                                                    "expected a different id for each text",
                                                    id))
                .at_line(record.line)
                .in_file(reader->name()));
      }
      if (added.begin == nowhere) added = add(record.text);
      *place = added;
    }
  }
  return {};
}

std::uint64_t RowTextsBuilder::row_of(std::size_t place) const noexcept {
  return texts_.rows_ ? (*texts_.rows_)[place] : place;
}

Result<void> RowTextsBuilder::add_window(std::string_view text, std::size_t place) {
  const std::uint64_t row = row_of(place);
  if (texts_.places_[place].begin != nowhere) {
    return fail(ErrorCode::duplicate,
                "two texts have the id {:?}, expected a different id for each text",
                windows_->text_key(row));
  }
  texts_.places_[place] = add(EMBD_TRY(windows_->part_of(text, row)));
  return {};
}

Result<void> RowTextsBuilder::read_windows(const std::filesystem::path& path,
                                           const InputOptions& input) {
  std::unordered_multimap<std::string_view, std::size_t> places_by_text;
  for (std::size_t i = 0; i < texts_.places_.size(); ++i)
    places_by_text.emplace(windows_->text_key(row_of(i)), i);
  const auto reader = EMBD_TRY(open_records(path, input));
  Record record;
  while (EMBD_TRY(reader->next(record))) {
    const std::string key =
        has_ids(input) ? record_id_text(record.id) : fmt::to_string(record.line);
    const auto [first, last] = places_by_text.equal_range(key);
    for (auto at = first; at != last; ++at) {
      if (auto added = add_window(record.text, at->second); !added)
        return std::unexpected(
            std::move(added).error().at_line(record.line).in_file(reader->name()));
    }
  }
  return {};
}

Result<void> RowTextsBuilder::read_stored(const VectorReader& set, std::uint64_t first_row) {
  const std::uint64_t num_rows = set.info().num_rows;
  const auto take = [&](std::uint64_t first, std::uint64_t count) -> Result<void> {
    const auto some = EMBD_TRY(set.row_texts()->texts(first, count));
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t row = first_row + first + i;
      *place_of(row) =
          add(windows_ == nullptr ? some[i] : EMBD_TRY(windows_->part_of(some[i], row)));
    }
    return {};
  };
  if (texts_.rows_) {
    for (const std::uint64_t row : *texts_.rows_)
      if (row >= first_row && row - first_row < num_rows) EMBD_TRY(take(row - first_row, 1));
    return {};
  }
  for (std::uint64_t first = 0; first < num_rows; first += texts_at_once)
    EMBD_TRY(take(first, std::min(texts_at_once, num_rows - first)));
  return {};
}

Result<void> RowTextsBuilder::check_complete(const Ids& ids,
                                             std::span<const std::filesystem::path> files) const {
  const auto without = std::ranges::find(texts_.places_, nowhere, &RowTexts::Place::begin);
  if (without == texts_.places_.end()) return {};
  const auto index = static_cast<std::size_t>(without - texts_.places_.begin());
  const std::uint64_t row = row_of(index);
  const std::string message =
      fmt::format("no text has the id {:?}, which row {} has, expected a text for each row",
                  id_text(ids, row), row);
  return files.size() == 1 ? fail_in(files.front(), ErrorCode::missing, message)
                           : fail(ErrorCode::missing, message);
}

}  // namespace embd
