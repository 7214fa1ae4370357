#include "jobs/sets/sidecar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/json.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "base/path_text.h"
#include "base/paths.h"
#include "base/try.h"
#include "formats/recipe_json.h"
#include "formats/vectors/files_beside.h"
#include "formats/vectors/ids.h"
#include "formats/vectors/sidecar_names.h"
#include "jobs/sets/narrow_rows.h"
#include "jobs/sets/set_tie.h"

namespace embd {
namespace {

using Json = nlohmann::json;

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
                     fmt::format("the file has {} ids for {} rows, expected one id for each row",
                                 num_ids, num_rows));
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
