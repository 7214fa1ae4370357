#pragma once

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

#include "base/byte_reader.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_layout.h"

// Shared by the parsers of the parts of an EMBD file.
namespace embd {

/// Bytes [start, end()) of a file.
struct EmbdSection {
  std::uint64_t start = 0;
  std::uint64_t size = 0;

  std::uint64_t end() const noexcept { return start + size; }
};

/// The error for a field of a structure that begins at `start`.
std::unexpected<Error> fail_at(ErrorCode code, std::uint64_t start, const embd_layout::Field& field,
                               std::string_view found);

/// A file's text for a message: short, other bytes than printable ASCII as \xNN.
std::string printable(std::string_view text);

/// A whole file whose parts are read by their absolute places, which were checked before.
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
  /// Where a view into the file begins.
  std::uint64_t place_of(std::string_view part) const {
    const auto at = reinterpret_cast<const std::byte*>(part.data()) - bytes_.data();
    return static_cast<std::uint64_t>(at);
  }

  const Bytes bytes_;
};

/// A function that gives the name of what stands at a position.
template <class Function>
concept NameAt = requires(const Function& name, std::uint32_t position) {
  { name(position) } -> std::convertible_to<std::string_view>;
};

/// The positions below `count` sorted by name, equal names in their own order.
std::vector<std::uint32_t> sorted_by_name(std::size_t count, const NameAt auto& name) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const int by_text = name(a).compare(name(b));
    return by_text != 0 ? by_text < 0 : a < b;
  });
  return order;
}

/// The first neighbours with one name among positions sorted by name: {second, first}.
std::optional<std::pair<std::uint32_t, std::uint32_t>> find_repeated(
    std::span<const std::uint32_t> order, const NameAt auto& name) {
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (name(order[i]) == name(order[i - 1])) return std::pair(order[i], order[i - 1]);
  }
  return std::nullopt;
}

}  // namespace embd
