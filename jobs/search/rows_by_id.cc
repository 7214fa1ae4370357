#include "jobs/search/rows_by_id.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <optional>

namespace embd {
namespace {

std::size_t hash_of(std::uint64_t id) noexcept {
  id = (id ^ (id >> 32)) * 0x9E3779B97F4A7C15;
  return id ^ (id >> 32);
}
std::size_t hash_of(std::string_view id) noexcept {
  return std::hash<std::string_view>()(id);
}

/// Returns the number that std::to_string() writes as `text`; nothing if there is no such number.
std::optional<std::uint64_t> number_in(std::string_view text) {
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  std::uint64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || at != text.data() + text.size()) return std::nullopt;
  return number;
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
  const std::optional<std::uint64_t> number = number_in(wanted);
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

}  // namespace embd
