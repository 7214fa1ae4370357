#include "vectors/sidecar.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/system_error.h"
#include "base/try.h"
#include "formats/ids.h"
#include "formats/json_text.h"
#include "formats/recipe_json.h"

namespace embd {
namespace {

std::filesystem::path beside(std::filesystem::path vectors, std::string_view extension) {
  // "out.svs/" is the directory "out.svs".
  if (!vectors.has_filename()) vectors = vectors.parent_path();
  vectors += extension;
  return vectors;
}

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

/// `line_at`: where the line begins in its file.
Result<void> add_id(std::string_view line, std::uint64_t line_at, bool first, Ids& ids) {
  const auto value = EMBD_TRY(parse_json(line, line_at));
  if (first && value.is_string()) ids = std::vector<std::string>();
  if (first && value.is_number_unsigned()) ids = std::vector<std::uint64_t>();
  auto* strings = std::get_if<std::vector<std::string>>(&ids);
  auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
  if (strings != nullptr && value.is_string()) {
    strings->push_back(value.get<std::string>());
  } else if (numbers != nullptr && value.is_number_unsigned()) {
    numbers->push_back(value.get<std::uint64_t>());
  } else {
    return fail(ErrorCode::bad_type,
                "expected a string on every line or a whole number on every "
                "line");
  }
  return {};
}

Result<Ids> read_ids(const std::filesystem::path& path) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  std::string_view text = as_text(file.bytes());
  Ids ids;
  for (std::uint64_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto added = add_id(text.substr(0, end), file.bytes().size() - text.size(), line == 1, ids);
    if (!added)
      return std::unexpected(std::move(added).error().at_line(line).in_file(path.native()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return ids;
}

class SidecarReader final : public VectorReader {
 public:
  SidecarReader(std::unique_ptr<VectorReader> reader, const std::filesystem::path& path)
      : reader_(std::move(reader)), ids_path_(ids_path(path)), recipe_path_(recipe_path(path)) {}

  const VectorSetInfo& info() const noexcept override { return reader_->info(); }
  Result<void> read(std::uint64_t first, std::uint64_t rows, std::span<float> out) const override {
    return reader_->read(first, rows, out);
  }
  std::optional<MatrixView> view() const noexcept override { return reader_->view(); }
  Result<bool> read_raw(std::uint64_t first, std::uint64_t rows,
                        std::vector<std::byte>& out) const override {
    return reader_->read_raw(first, rows, out);
  }
  Result<Ids> ids() const override {
    Ids inside = EMBD_TRY(reader_->ids());
    // Numbers inside may stand for the strings beside, which had no room there.
    if (std::holds_alternative<std::vector<std::string>>(inside) || !is_file(ids_path_)) {
      return inside;
    }
    Ids ids = EMBD_TRY(read_ids(ids_path_));
    const std::optional<RowSelection> selected = selection();
    const std::uint64_t num_rows = selected ? selected->num_file_rows : info().num_rows;
    const std::uint64_t num_ids = count_ids(ids).value_or(0);
    if (num_ids != num_rows) {
      return std::unexpected(
          Error(ErrorCode::bad_count, fmt::format("{} ids for {} rows", num_ids, num_rows))
              .in_file(ids_path_.native()));
    }
    return selected ? select_ids(ids, *selected) : ids;
  }
  std::optional<RowSelection> selection() const override { return reader_->selection(); }
  Result<std::vector<float>> norms() const override { return reader_->norms(); }
  Result<std::optional<Subwords>> subwords() const override { return reader_->subwords(); }
  Result<std::string> metadata() const override { return reader_->metadata(); }
  std::vector<RowSection> sections() const override { return reader_->sections(); }
  std::vector<NumberColumn> columns() const override { return reader_->columns(); }
  Result<void> read_column(std::string_view name, std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    return reader_->read_column(name, first, count, out);
  }
  std::string unread_parts() const override { return reader_->unread_parts(); }
  Result<std::optional<Recipe>> recipe() const override {
    auto inside = EMBD_TRY(reader_->recipe());
    if ((inside && !inside->input_sha256.empty()) || !is_file(recipe_path_)) return inside;
    auto beside = EMBD_TRY(recipe_beside());
    if (!inside || !beside) return beside;
    if (fatal_differences(*inside, *beside).empty()) inside->input_sha256 = beside->input_sha256;
    return inside;
  }
  std::string describe() const override { return reader_->describe(); }
  Result<void> verify() const override {
    EMBD_TRY(reader_->verify());
    EMBD_TRY(ids());
    EMBD_TRY(recipe());
    return {};
  }

 private:
  Result<std::optional<Recipe>> recipe_beside() const {
    const MappedFile file = EMBD_TRY(MappedFile::open(recipe_path_));
    auto recipe = recipe_from_json(as_text(file.bytes()));
    if (!recipe) return std::unexpected(std::move(recipe).error().in_file(recipe_path_.native()));
    // The file may hold an index's certificate only.
    if (recipe->model_sha256.empty()) return std::nullopt;
    return *recipe;
  }

  std::unique_ptr<VectorReader> reader_;
  std::filesystem::path ids_path_;
  std::filesystem::path recipe_path_;
};

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

/// Moves a file out of the way of one that is to replace it, or of none, and back if that fails.
class SetAside {
 public:
  explicit SetAside(const std::filesystem::path& path) : path_(path), aside_(path) {
    aside_ += ".embd-old.tmp";
    was_there_ = ::rename(path_.c_str(), aside_.c_str()) == 0;
    if (was_there_ || errno == ENOENT) return;
    error_ = system_error("replace", path_);
    dropped_ = true;
  }
  ~SetAside() {
    if (dropped_) return;
    if (was_there_) {
      ::rename(aside_.c_str(), path_.c_str());
    } else {
      ::unlink(path_.c_str());
    }
  }
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;

  /// Whether the file could be moved, if there was one.
  Result<void> done() const {
    return error_ ? Result<void>(std::unexpected(*error_)) : Result<void>();
  }
  /// It worked: the old file goes, and the one that a process left here which was killed.
  void drop() noexcept {
    dropped_ = true;
    ::unlink(aside_.c_str());
  }

 private:
  std::filesystem::path path_;
  std::filesystem::path aside_;
  bool was_there_ = false;
  bool dropped_ = false;
  std::optional<Error> error_;
};

class SidecarWriter final : public VectorSetWriter {
 public:
  SidecarWriter(std::unique_ptr<VectorWriter> writer, Room room, const std::filesystem::path& path,
                const std::optional<Recipe>& recipe, const Ids& ids)
      : writer_(std::move(writer)),
        room_(room.ids),
        ids_path_(ids_path(path)),
        recipe_path_(recipe_path(path)),
        ranges_path_(ranges_path(path)) {
    recipe_ = recipe;
    has_room_for_recipe_ = room.recipe;
    if (!room.ids_first) ids_ = ids;
  }

  Result<void> append(MatrixView rows, const Ids& ids) override {
    const auto num_ids = count_ids(ids_);
    const std::uint64_t first = std::exchange(num_rows_, num_rows_ + rows.rows());
    if (num_ids && num_rows_ > *num_ids)
      return fail(ErrorCode::bad_count, fmt::format("{} rows for {} ids", num_rows_, *num_ids));
    if (!num_ids || count_ids(ids)) return append_with_ids(rows, ids);
    return append_with_ids(rows, slice_ids(ids_, first, rows.rows()));
  }

  Result<void> prepare() override {
    if (const auto num_ids = count_ids(ids_); num_ids && num_rows_ != *num_ids)
      return fail(ErrorCode::bad_count, fmt::format("{} rows for {} ids", num_rows_, *num_ids));
    prepared_ = true;
    return writer_->prepare();
  }

  Result<void> finish() override {
    // Until all that takes long is done, the files beside are those of the old OUT.
    if (!prepared_) EMBD_TRY(prepare());
    SetAside old[] = {SetAside(ids_path_), SetAside(recipe_path_), SetAside(ranges_path_)};
    for (const SetAside& file : old) EMBD_TRY(file.done());
    if (ids_file_) EMBD_TRY(ids_file_->finish());
    // Inside there is no room for the hash of the input: see create_bare().
    if (recipe_ && (!has_room_for_recipe_ || !recipe_->input_sha256.empty())) {
      OutputFile file = EMBD_TRY(OutputFile::create(recipe_path_));
      EMBD_TRY(file.write(as_bytes(recipe_to_json(*recipe_) + "\n")));
      EMBD_TRY(file.finish());
    }
    if (ranges_) EMBD_TRY(write_vectors(ranges_path_, *ranges_));
    EMBD_TRY(writer_->finish());
    for (SetAside& file : old) file.drop();
    return {};
  }
  Result<void> begin_section(std::string_view metadata) override {
    return writer_->begin_section(metadata);
  }
  Result<void> set_columns(std::span<const Bytes> columns) override {
    return writer_->set_columns(columns);
  }
  Result<void> set_ranges(MatrixView ranges) override {
    ranges_.emplace(ranges.rows(), ranges.cols());
    std::ranges::copy(ranges.values(), ranges_->data());
    return {};
  }
  void set_input_sha256(const std::string& hash) override {
    if (recipe_) recipe_->input_sha256 = hash;
  }
  std::optional<QuantizationLoss> loss() const override { return writer_->loss(); }

 private:
  Result<void> append_with_ids(MatrixView rows, const Ids& ids) {
    if (fits_inside(ids, room_)) return writer_->append(rows, ids);
    EMBD_TRY(writer_->append(rows, Ids{}));
    if (!ids_file_) ids_file_ = EMBD_TRY(OutputFile::create(ids_path_));
    for (std::size_t i = 0; i < *count_ids(ids); ++i) {
      line_.clear();
      EMBD_TRY(append_json_id(ids, i, line_));
      line_ += '\n';
      EMBD_TRY(ids_file_->write(as_bytes(line_)));
    }
    return {};
  }

  std::unique_ptr<VectorWriter> writer_;
  IdsInside room_;
  std::filesystem::path ids_path_;
  std::filesystem::path recipe_path_;
  std::filesystem::path ranges_path_;
  std::optional<Recipe> recipe_;
  bool has_room_for_recipe_ = false;
  std::optional<Matrix> ranges_;
  Ids ids_;  // of all rows, where they were given at the start
  std::uint64_t num_rows_ = 0;
  std::optional<OutputFile> ids_file_;
  std::string line_;
  bool prepared_ = false;
};

}  // namespace

std::filesystem::path ids_path(const std::filesystem::path& vectors) {
  return beside(vectors, ".ids.jsonl");
}

std::filesystem::path recipe_path(const std::filesystem::path& vectors) {
  return beside(vectors, ".recipe.json");
}

std::filesystem::path ranges_path(const std::filesystem::path& vectors) {
  return beside(vectors, ".ranges.npy");
}

std::unique_ptr<VectorReader> with_sidecar(std::unique_ptr<VectorReader> reader,
                                           const std::filesystem::path& path) {
  return std::make_unique<SidecarReader>(std::move(reader), path);
}

std::unique_ptr<VectorSetWriter> with_sidecar(std::unique_ptr<VectorWriter> writer, Room room,
                                              const std::filesystem::path& path,
                                              const std::optional<Recipe>& recipe, const Ids& ids) {
  return std::make_unique<SidecarWriter>(std::move(writer), room, path, recipe, ids);
}

}  // namespace embd
