#include "formats/vectors/usearch/usearch_file.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/bytes.h"
#include "base/try.h"
#include "formats/vectors/format.h"
#include "formats/vectors/usearch/usearch_scalar.h"

namespace embd::usearch {
namespace {

bool magic_at(std::ifstream& file, std::uint64_t offset) {
  std::string found(magic.size(), '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  return file.read(found.data(), static_cast<std::streamsize>(found.size())) && found == magic;
}

class PresentRows final : public VectorReader, private PlainRowSource {
 public:
  explicit PresentRows(Reader reader) : reader_(std::move(reader)) {
    const Header& header = reader_.header();
    info_.format = "usearch";
    info_.encoding = element_name(header.scalar);
    info_.num_rows = header.present;
    info_.dim = header.dimensions;
    info_.element_type = header.scalar;
    if (header.deleted == 0) return;
    for (std::uint64_t slot = 0; slot < header.size; ++slot) {
      if (reader_.key(slot) != removed_key) slots_.push_back(slot);
    }
  }

  const VectorSetInfo& info() const noexcept override { return info_; }

  Result<Ids> ids() const override {
    std::vector<std::uint64_t> keys;
    keys.reserve(info_.num_rows);
    for (std::uint64_t i = 0; i < info_.num_rows; ++i) keys.push_back(reader_.key(slot(i)));
    return Ids(std::move(keys));
  }

  std::string describe() const override {
    const Header& header = reader_.header();
    nlohmann::ordered_json json = {
        {"format", "usearch"},
        {"version", fmt::format("{}.{}.{}", major_version, header.minor, header.patch)},
        {"rows", header.present},
        {"removed", header.deleted},
        {"dim", header.dimensions},
        {"metric", metric_name(header.metric)},
        {"scalar", element_name(header.scalar)},
        {"multi", header.multi},
        {"matrix_head", header.matrix == MatrixHead::u64 ? "u64" : "u32"},
        {"key", header.key == KeyKind::u64 ? "u64" : "u32"},
        {"slot", header.slot == SlotKind::u40 ? "u40" : "u32"},
        {"connectivity", header.connectivity},
        {"connectivity_base", header.connectivity_base},
    };
    if (header.size > 0) {
      json["max_level"] = header.max_level;
      json["entry_slot"] = header.entry_slot;
    }
    return json.dump();
  }
  /// Nothing to do: opening has checked everything.
  Result<void> verify() const override { return {}; }
  const PlainRowSource* plain_rows() const noexcept override { return this; }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    for (std::uint64_t i = 0; i < count; ++i) {
      decode_row(info_.element_type, reader_.row(slot(first + i)),
                 out.subspan(i * info_.dim, info_.dim));
    }
    return {};
  }
  std::optional<MatrixView> view() const noexcept override { return std::nullopt; }
  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    out.clear();
    for (std::uint64_t i = first; i < first + count; ++i) {
      const std::byte* row = reader_.row(slot(i));
      out.insert(out.end(), row, row + reader_.row_bytes());
    }
    return {};
  }

  std::uint64_t slot(std::uint64_t row) const noexcept {
    return slots_.empty() ? row : slots_[row];
  }

  Reader reader_;
  // The slots of the rows that are not removed; empty if none is removed.
  std::vector<std::uint64_t> slots_;
  VectorSetInfo info_;
};

}  // namespace

bool has_magic(const std::filesystem::path& path, Bytes head) {
  if (as_text(head).starts_with(magic)) return true;
  if (head.size() < bytes_of(MatrixHead::u64)) return false;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return false;
  const auto file_bytes = static_cast<std::uint64_t>(file.tellg());
  // Either product may be meaningless. Only a place inside the file is read.
  const auto behind = [&](std::uint64_t rows, std::uint64_t cols, MatrixHead kind) {
    return (rows == 0 || cols <= file_bytes / rows) && magic_at(file, bytes_of(kind) + rows * cols);
  };
  return behind(load<std::uint32_t>(head), load<std::uint32_t>(head.subspan(4)), MatrixHead::u32) ||
         behind(load<std::uint64_t>(head), load<std::uint64_t>(head.subspan(8)), MatrixHead::u64);
}

Result<std::unique_ptr<VectorReader>> open(const std::filesystem::path& path, const ReadOptions&) {
  Reader reader = EMBD_TRY(Reader::open(path));
  if (!reader.has_rows()) {
    return fail_in(path, ErrorCode::missing,
                   "the index was saved without its vectors, so there are no rows to read");
  }
  return std::make_unique<PresentRows>(std::move(reader));
}

}  // namespace embd::usearch
