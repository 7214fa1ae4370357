#include "jobs/sets/set_writer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "base/json.h"
#include "base/output_file.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/vectors/files_beside.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/ids.h"
#include "formats/vectors/sidecar_names.h"
#include "jobs/sets/set_tie.h"

namespace embd {
namespace {

using Json = nlohmann::json;

bool fits_inside(const Ids& ids, IdsInside room) {
  switch (room) {
    case IdsInside::none:
      return std::holds_alternative<std::monostate>(ids);
    case IdsInside::numbers:
      return !std::holds_alternative<std::vector<std::string>>(ids);
    case IdsInside::any:
      return true;
  }
  return false;
}

class SetWriter final : public VectorSetWriter, private RowSectionSink, private CodeSink {
 public:
  SetWriter(OutputSet set, std::unique_ptr<VectorWriter> writer, SetParts parts)
      : VectorSetWriter(writer->dim()),
        set_(std::move(set)),
        writer_(std::move(writer)),
        room_(parts.room.ids) {
    recipe_ = std::move(parts.recipe);
    has_room_for_recipe_ = parts.room.recipe;
    if (!parts.room.ids_first) ids_ = std::move(parts.ids);
  }

  void set_input_sha256(const std::string& hash) override {
    if (recipe_) recipe_->input_sha256 = hash;
  }
  void set_digest(const std::string& digest) override { digest_ = digest; }
  std::optional<QuantizationLoss> loss() const override { return writer_->loss(); }
  TableSink* table() noexcept override { return writer_->table(); }
  RowTextSink* row_texts() noexcept override { return writer_->row_texts(); }
  RowSectionSink* row_sections() noexcept override {
    return writer_->row_sections() != nullptr ? this : nullptr;
  }
  CodeSink* codes() noexcept override { return this; }

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    const auto num_ids = count_ids(ids_);
    const std::uint64_t end = num_rows() + rows.rows();
    if (num_ids && end > *num_ids)
      return fail(ErrorCode::bad_count,
                  fmt::format("{} rows were appended for {} ids, expected one row for each id", end,
                              *num_ids));
    if (!num_ids || count_ids(ids)) return seen(append_with_ids(rows, ids));
    return seen(append_with_ids(rows, slice_ids(ids_, num_rows(), rows.rows())));
  }

  Result<void> prepare_file() override {
    if (const auto num_ids = count_ids(ids_); num_ids && num_rows() != *num_ids)
      return fail(ErrorCode::bad_count,
                  fmt::format("{} rows were appended for {} ids, expected one row for each id",
                              num_rows(), *num_ids));
    EMBD_TRY(seen(writer_->prepare()));
    if (set_.is_in_place()) return {};
    EMBD_TRY(seen(writer_->finish()));
    EMBD_TRY(seen(write_files_beside()));
    return set_.prepare();
  }

  Result<void> finish_file() override {
    return set_.is_in_place() ? writer_->finish() : set_.finish();
  }

  Result<void> begin_section(std::string_view metadata) override {
    return seen(writer_->row_sections()->begin_section(metadata));
  }
  Result<void> begin_chunk(std::string_view metadata) override {
    return seen(writer_->row_sections()->begin_chunk(metadata));
  }
  Result<void> set_ranges(MatrixView ranges) override {
    ranges_.emplace(ranges.rows(), ranges.cols());
    std::ranges::copy(ranges.values(), ranges_->data());
    return {};
  }

  /// Returns the result with errors about the final paths instead of the temporary ones.
  Result<void> seen(Result<void> result) const {
    if (result) return result;
    return std::unexpected(set_.as_seen(std::move(result).error()));
  }

  Result<void> append_with_ids(MatrixView rows, const Ids& ids) {
    if (fits_inside(ids, room_)) return writer_->append(rows, ids);
    EMBD_TRY(writer_->append(rows, Ids{}));
    if (set_.is_in_place()) return {};
    if (!ids_file_) ids_file_ = EMBD_TRY(OutputFile::create(set_.staged(ids_path(set_.main()))));
    for (std::size_t i = 0; i < *count_ids(ids); ++i) {
      line_.clear();
      EMBD_TRY(append_json_id(ids, i, line_));
      line_ += '\n';
      ids_hash_.update(line_);
      EMBD_TRY(ids_file_->write(as_bytes(line_)));
    }
    return {};
  }

  Result<void> write_files_beside() {
    SetTie tie;
    if (ids_file_) {
      EMBD_TRY(ids_file_->finish());
      if (ids_file_->size() > 0) tie.ids = ids_hash_.hex();
    }
    if (ranges_) {
      const auto path = set_.staged(ranges_path(set_.main()));
      const auto file = EMBD_TRY(numpy::format.create(path, ranges_->cols(), {}));
      EMBD_TRY(file->append(*ranges_, {}));
      EMBD_TRY(file->finish());
      tie.ranges = EMBD_TRY(sha256_of_file(path));
    }
    // The vectors themselves do not store the hash of the input (see create_bare()), nor the
    // digest, which is known only after the rows are written.
    const bool all_inside =
        has_room_for_recipe_ && recipe_ && recipe_->input_sha256.empty() && digest_.empty();
    if (!recipe_ || all_inside) return {};
    tie.vectors = EMBD_TRY(fingerprint(set_.staged(set_.main())));
    Json json = EMBD_TRY(parse_json(recipe_to_json(*recipe_)));
    set_tie(json, tie);
    if (!digest_.empty()) json[digest_member] = EMBD_TRY(parse_json(digest_));
    return write_text_file(set_.staged(recipe_path(set_.main())),
                           json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n");
  }

  OutputSet set_;
  std::unique_ptr<VectorWriter> writer_;
  IdsInside room_;
  std::optional<Recipe> recipe_;
  bool has_room_for_recipe_ = false;
  std::string digest_;
  std::optional<Matrix> ranges_;
  Ids ids_;  // The ids of all rows, if they were given at the start.
  std::optional<OutputFile> ids_file_;
  Sha256 ids_hash_;
  std::string line_;
};

}  // namespace

Result<std::unique_ptr<VectorSetWriter>> create_set(const std::filesystem::path& path,
                                                    CheckReplaceable check, SetParts parts,
                                                    const MakeWriter& make) {
  OutputSet set = EMBD_TRY(OutputSet::create(path, check));
  for (const auto& file : files_beside(set.main())) set.include(file);
  auto writer = make(set.staged(set.main()));
  if (!writer) return std::unexpected(set.as_seen(std::move(writer).error()));
  return std::make_unique<SetWriter>(std::move(set), std::move(*writer), std::move(parts));
}

}  // namespace embd
