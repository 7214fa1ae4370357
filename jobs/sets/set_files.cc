#include "jobs/sets/set_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

#include "base/checksum.h"
#include "base/json.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/vectors/files_beside.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/ids.h"
#include "formats/vectors/sidecar_names.h"
#include "jobs/sets/narrow_rows.h"
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
                  "{} rows were appended for {} ids, expected one row for each id", end, *num_ids);
    if (!num_ids || count_ids(ids)) return seen(append_with_ids(rows, ids));
    return seen(append_with_ids(rows, slice_ids(ids_, num_rows(), rows.rows())));
  }

  Result<void> prepare_file() override {
    if (const auto num_ids = count_ids(ids_); num_ids && num_rows() != *num_ids)
      return fail(ErrorCode::bad_count,
                  "{} rows were appended for {} ids, expected one row for each id", num_rows(),
                  *num_ids);
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

namespace {

/// Returns the text of a JSON value; empty for null.
std::string json_text(const Json& json) {
  return json.is_null() ? "" : json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::unexpected<Error> not_of_these(const std::filesystem::path& path, std::string what) {
  return fail_in(path, ErrorCode::checksum_mismatch, std::move(what));
}

/// Parses an id. `line_at` is where its line begins in the file.
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
                "the lines of the file are not all of one kind, expected a string on every line or "
                "a whole number on every line");
  }
  return {};
}

Result<Ids> parse_ids(const MappedFile& file) {
  std::string_view text = as_text(file.bytes());
  Ids ids;
  for (std::uint64_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto added = add_id(text.substr(0, end), file.bytes().size() - text.size(), line == 1, ids);
    if (!added)
      return std::unexpected(
          std::move(added).error().at_line(line).in_file(text_of_path(file.path())));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return ids;
}

Result<void> check_hash(const std::filesystem::path& path, Bytes bytes, const std::string& tied) {
  if (tied.empty() || sha256_hex(bytes) == tied) return {};
  return not_of_these(path,
                      "this is not the file that was written together with the vectors: if it was "
                      "replaced on purpose, remove \"files\" from the recipe beside it");
}

Result<Matrix> open_ranges(const std::filesystem::path& path, std::uint64_t dim,
                           const std::string& tied) {
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  EMBD_TRY(check_hash(path, file.bytes(), tied));
  return read_ranges(path, dim);
}

/// The files beside a vector set. They are opened together, so that they belong to one set. An
/// error of a file is reported when its content is requested.
struct FilesBeside {
  std::optional<Result<MappedFile>> ids;
  std::optional<Result<Matrix>> ranges;
  std::optional<Result<MappedFile>> recipe;
  SetTie tie;  // An empty field means that nothing is known.

  static FilesBeside open(const std::filesystem::path& path, std::uint64_t dim) {
    FilesBeside files;
    if (os::is_file(recipe_path(path))) files.recipe.emplace(MappedFile::open(recipe_path(path)));
    if (files.recipe && *files.recipe)
      files.tie = tie_in(std::string(as_text((*files.recipe)->bytes()))).value_or(SetTie());
    if (os::is_file(ids_path(path))) files.ids.emplace(MappedFile::open(ids_path(path)));
    if (os::is_file(ranges_path(path)))
      files.ranges.emplace(open_ranges(ranges_path(path), dim, files.tie.ranges));
    return files;
  }
};

class SidecarReader final : public VectorReader, private CodeSource {
 public:
  SidecarReader(std::unique_ptr<VectorReader> reader, FilesBeside files)
      : reader_(std::move(reader)), files_(std::move(files)) {}

  const VectorSetInfo& info() const noexcept override { return reader_->info(); }
  Result<Ids> ids() const override {
    Ids inside = EMBD_TRY(reader_->ids());
    // The vectors may hold numbers in place of strings that they cannot store; the strings are then
    // beside.
    if (std::holds_alternative<std::vector<std::string>>(inside) || !files_.ids) return inside;
    if (!*files_.ids) return std::unexpected(files_.ids->error());
    const MappedFile& file = **files_.ids;
    Ids ids = EMBD_TRY(parse_ids(file));
    std::optional<RowSelection> selected;
    if (const RowSectionSource* rows = reader_->row_sections()) selected = rows->selection();
    const std::uint64_t num_rows = selected ? selected->num_file_rows : info().num_rows;
    const std::uint64_t num_ids = count_ids(ids).value_or(0);
    if (num_ids != num_rows) {
      return fail_in(file.path(), ErrorCode::bad_count,
                     "the file has {} ids for {} rows, expected one id for each row", num_ids,
                     num_rows);
    }
    EMBD_TRY(check_hash(file.path(), file.bytes(), files_.tie.ids));
    if (selected) return select_ids(ids, *selected);
    return ids;
  }
  Result<std::optional<Recipe>> recipe() const override {
    auto inside = EMBD_TRY(reader_->recipe());
    if ((inside && !inside->input_sha256.empty()) || !files_.recipe) return inside;
    auto beside = EMBD_TRY(recipe_beside());
    if (!inside) return beside;
    if (!beside) return inside;
    if (fatal_differences(*inside, *beside).empty()) inside->input_sha256 = beside->input_sha256;
    return inside;
  }
  Result<std::string> digest() const override {
    return json_text(EMBD_TRY(member_beside(digest_member)));
  }
  Result<std::string> certificate() const override {
    const Json found = EMBD_TRY(member_beside(certificate_member));
    const bool is_good = found.is_object() && std::ranges::all_of(found, &Json::is_number);
    if (!found.is_null() && !is_good) {
      return fail_in((*files_.recipe)->path(), ErrorCode::bad_type,
                     "the member \"certificate\" is not an object whose values are numbers, "
                     "expected one");
    }
    // Without a tie, it may be the certificate of any index.
    return files_.tie.vectors.empty() ? std::string() : json_text(found);
  }
  std::string describe() const override { return reader_->describe(); }
  Result<void> verify() const override {
    EMBD_TRY(reader_->verify());
    EMBD_TRY(ids());
    if (files_.ranges) EMBD_TRY(ranges());
    EMBD_TRY(recipe());
    return {};
  }
  const PlainRowSource* plain_rows() const noexcept override { return reader_->plain_rows(); }
  const WordEmbeddingSource* word_embeddings() const noexcept override {
    return reader_->word_embeddings();
  }
  const TableSource* table() const noexcept override { return reader_->table(); }
  const RowTextSource* row_texts() const noexcept override { return reader_->row_texts(); }
  const RowSectionSource* row_sections() const noexcept override { return reader_->row_sections(); }
  const CodeSource* codes() const noexcept override { return files_.ranges ? this : nullptr; }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    return reader_->read(first, count, out);
  }
  Result<Matrix> ranges() const override { return *files_.ranges; }

  /// Returns a member of OUT.recipe.json; null if there is none.
  Result<Json> member_beside(const char* name) const {
    if (!files_.recipe) return Json();
    if (!*files_.recipe) return std::unexpected(files_.recipe->error());
    const MappedFile& file = **files_.recipe;
    const Json json = EMBD_TRY(in_file(file.path(), parse_json(as_text(file.bytes()))));
    return json.is_object() ? json.value(name, Json()) : Json();
  }

  Result<std::optional<Recipe>> recipe_beside() const {
    if (!*files_.recipe) return std::unexpected(files_.recipe->error());
    const MappedFile& file = **files_.recipe;
    Recipe recipe = EMBD_TRY(in_file(file.path(), recipe_from_json(as_text(file.bytes()))));
    // The file may have only the certificate of an index.
    if (recipe.model_sha256.empty()) return std::nullopt;
    return recipe;
  }

  std::unique_ptr<VectorReader> reader_;
  FilesBeside files_;
};

}  // namespace

Result<std::unique_ptr<VectorReader>> with_sidecar(std::unique_ptr<VectorReader> reader,
                                                   const std::filesystem::path& path) {
  if (is_written_in_place(path)) return reader;
  const std::filesystem::path place = place_of_files(path);
  FilesBeside files = FilesBeside::open(place, reader->info().dim);
  if (!files.tie.vectors.empty() && files.tie.vectors != EMBD_TRY(fingerprint(path))) {
    return not_of_these(
        recipe_path(place),
        fmt::format("this file and the files beside it were written for other vectors than those "
                    "in {}: remove them if the vectors were replaced on purpose",
                    text_of_path(path)));
  }
  return std::make_unique<SidecarReader>(std::move(reader), std::move(files));
}

}  // namespace embd
