#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <expected>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_layout.h"

// Code that the parsers of all parts of an EMBD file share.
namespace embd {

/// The bytes [start, end()) of a file.
struct EmbdSection {
  std::uint64_t start = 0;
  std::uint64_t size = 0;

  std::uint64_t end() const noexcept { return start + size; }
};

/// Returns an error about a field of a structure that begins at `start`; `found` says what is
/// wrong. With more arguments, it is formatted with them.
std::unexpected<Error> fail_at(ErrorCode code, std::uint64_t start, const embd_layout::Field& field,
                               std::string_view found);
template <class First, class... Rest>
std::unexpected<Error> fail_at(ErrorCode code, std::uint64_t start, const embd_layout::Field& field,
                               fmt::format_string<First, Rest...> found, First&& first,
                               Rest&&... rest) {
  return fail_at(code, start, field, fmt::vformat(found, fmt::make_format_args(first, rest...)));
}

/// Returns a text from a file in a form for messages: short, and with \xNN for bytes that are not
/// printable ASCII.
std::string printable(std::string_view text);

/// Reads fields of a file at absolute places, which the caller has checked.
class EmbdParser {
 protected:
  explicit EmbdParser(Bytes file) : bytes_(file) {}

  template <class T>
  T field(std::uint64_t start, const embd_layout::Field& where) const {
    return load<T>(bytes_.subspan(start + where.at));
  }
  std::string_view text(std::uint64_t start, std::uint64_t size) const {
    return as_text(bytes_.subspan(start, size));
  }
  /// Returns where a part of the file begins.
  std::uint64_t place_of(std::string_view part) const {
    const auto at = reinterpret_cast<const std::byte*>(part.data()) - bytes_.data();
    return static_cast<std::uint64_t>(at);
  }

  const Bytes bytes_;
};

/// A function that returns the name of the item at a position.
template <class Function>
concept NameAt = requires(const Function& name, std::uint32_t position) {
  { name(position) } -> std::convertible_to<std::string_view>;
};

/// Returns the positions below `count`, sorted by name. Positions with equal names stay in
/// ascending order.
std::vector<std::uint32_t> sorted_by_name(std::size_t count, const NameAt auto& name) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const int by_text = name(a).compare(name(b));
    return by_text != 0 ? by_text < 0 : a < b;
  });
  return order;
}

/// Returns the first two positions with the same name, {second, first}; nothing if all names
/// differ. `order` must be sorted by name.
std::optional<std::pair<std::uint32_t, std::uint32_t>> find_repeated(
    std::span<const std::uint32_t> order, const NameAt auto& name) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (name(order[i]) == name(order[i - 1])) return std::pair(order[i], order[i - 1]);
  }
  return std::nullopt;
}

/// The content of the header and the footer: the version, the flags, and the places of all
/// sections.
struct EmbdSections {
  std::uint16_t version_major = 0;
  std::uint16_t version_minor = 0;
  std::uint32_t flags = 0;
  EmbdSection metadata;
  EmbdSection vocab;  ///< The vocabulary; empty if the file has none.
  EmbdSection index;  ///< The index: the descriptors, directly followed by the names.
  std::uint64_t names_start = 0;
  EmbdSection data;

  bool has_vocab() const noexcept { return (flags & embd_layout::vocab_embedded) != 0; }
  bool is_aligned() const noexcept { return (flags & embd_layout::tensors_aligned) != 0; }
  bool has_checksums() const noexcept { return (flags & embd_layout::checksum_enabled) != 0; }
};

/// Reads the header and the footer. Checks that all sections are inside the file and do not
/// overlap, and that the checksum of the header is right.
Result<EmbdSections> read_sections(Bytes file);

}  // namespace embd
