#include "jobs/sets/index_sets.h"

#include <nlohmann/json.hpp>

#include <array>
#include <new>
#include <stop_token>
#include <utility>

#include "base/json.h"
#include "base/os/file_status.h"
#include "base/os/mapped_file.h"
#include "base/output_file.h"
#include "base/paths.h"
#include "base/try.h"
#include "formats/vectors/formats.h"
#include "formats/vectors/sidecar_names.h"
#include "formats/vectors/usearch/usearch_file.h"
#include "formats/vectors/usearch/usearch_scalar.h"
#include "index/check_rows.h"
#include "index/distances/distance.h"
#include "jobs/sets/set_files.h"
#include "jobs/sets/set_tie.h"

namespace embd {
namespace {

class IndexRows final : public VectorReader {
 public:
  explicit IndexRows(std::shared_ptr<const Index> index) : index_(std::move(index)) {
    const IndexInfo about = index_->info();
    info_.format = about.format;
    info_.encoding = element_name(about.scalar);
    info_.num_rows = about.num_rows;
    info_.dim = about.dim;
    info_.element_type = about.scalar;
  }

  const VectorSetInfo& info() const noexcept override { return info_; }
  Result<Ids> ids() const override { return Ids(index_->ids()); }
  Result<std::optional<Recipe>> recipe() const override { return index_->info().recipe; }
  std::string describe() const override {
    const IndexInfo about = index_->info();
    return nlohmann::json{{"metric", metric_name(about.metric)},
                          {"removed", about.num_removed},
                          {"multi", about.multi}}
        .dump();
  }
  /// Nothing to do: opening the index has checked its structure.
  Result<void> verify() const override { return {}; }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    return index_->read_rows(first, count, out);
  }

  std::shared_ptr<const Index> index_;
  VectorSetInfo info_;
};

using Json = nlohmann::json;

/// Reads the file of the recipe. Returns an empty object if there is no such file.
Result<Json> read_recipe_file(const std::filesystem::path& path) {
  if (!os::is_file(path)) return Json::object();
  const MappedFile file = EMBD_TRY(MappedFile::open(path));
  Json json = EMBD_TRY(in_file(path, parse_json(as_text(file.bytes()))));
  if (json.is_object()) return json;
  return fail_in(path, ErrorCode::bad_json, "the recipe is not a JSON object");
}

class IndexWriter final : public VectorWriter {
 public:
  IndexWriter(std::filesystem::path path, std::filesystem::path source, std::uint64_t dim,
              const IndexOptions& options, const std::optional<Recipe>& recipe,
              std::stop_token stop)
      : VectorWriter(dim),
        path_(std::move(path)),
        source_(std::move(source)),
        options_(options),
        recipe_(recipe),
        stop_(std::move(stop)) {}

 private:
  Result<void> append_rows(MatrixView rows, const Ids& ids) override {
    if (std::holds_alternative<std::vector<std::string>>(ids)) {
      return fail(ErrorCode::unsupported,
                  "the ids are strings, but an index can store only numbers as ids");
    }
    if (options_.kind == IndexKind::hnsw)
      EMBD_TRY(check_kept_lengths(rows, metric_or_default(options_), scalar_or_default(options_),
                                  num_rows()));
    try {
      values_.insert(values_.end(), rows.values().begin(), rows.values().end());
      if (const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids)) {
        ids_.insert(ids_.end(), numbers->begin(), numbers->end());
      }
    } catch (const std::bad_alloc&) {
      return fail(ErrorCode::out_of_memory, "there is not enough memory for the rows of the index");
    }
    return {};
  }

  Result<void> prepare_file() override {
    const MatrixView rows(values_.data(), num_rows(), dim());
    index_ = EMBD_TRY(in_file(source_, Index::build(rows, ids_, options_, stop_)));
    index_->set_recipe(recipe_);
    return {};
  }

  Result<void> finish_file() override { return index_->save(path_); }

  std::filesystem::path path_;
  std::filesystem::path source_;  // the file that errors about rows and ids name
  IndexOptions options_;
  std::optional<Recipe> recipe_;
  std::stop_token stop_;
  std::vector<float> values_;  // [rows, dim]
  std::vector<std::uint64_t> ids_;
  std::optional<Index> index_;
};

}  // namespace

Result<std::unique_ptr<VectorReader>> index_vectors(std::shared_ptr<const Index> index,
                                                    const std::filesystem::path& path) {
  return with_sidecar(std::make_unique<IndexRows>(std::move(index)), path);
}

Result<std::unique_ptr<VectorWriter>> make_index_writer(
    const std::filesystem::path& path, const std::filesystem::path& source, std::uint64_t dim,
    const IndexOptions& options, const std::optional<Recipe>& recipe, std::stop_token stop) {
  // Fails before all rows are collected if they cannot be an index.
  EMBD_TRY(Distance::create(metric_or_default(options), scalar_or_default(options), dim));
  return std::make_unique<IndexWriter>(path, source, dim, options, recipe, std::move(stop));
}

Result<std::unique_ptr<VectorWriter>> create_index(const std::filesystem::path& path,
                                                   const std::filesystem::path& source,
                                                   std::uint64_t dim, const IndexOptions& options,
                                                   const std::optional<Recipe>& recipe,
                                                   std::stop_token stop) {
  const bool is_vamana = options.kind == IndexKind::vamana;
  return create_set(path, is_vamana ? svs::check_replaceable : nullptr,
                    {.room = {.ids = IdsInside::numbers, .recipe = is_vamana},
                     .recipe = is_vamana ? std::nullopt : recipe,
                     .ids = {}},
                    [&](const std::filesystem::path& file) {
                      return make_index_writer(file, source, dim, options, recipe, stop);
                    });
}

Result<void> store_certificate(const Certificate& certificate, IndexKind kind,
                               const std::filesystem::path& path) {
  const std::filesystem::path index = follow_links(without_trailing_slash(path));
  const std::filesystem::path file = recipe_path(index);
  Json json = EMBD_TRY(read_recipe_file(file));
  // An index whose recipe is inside has had nothing beside it so far.
  if (!tie_in(json.dump())) set_tie(json, {.vectors = EMBD_TRY(fingerprint(index))});
  json[certificate_member] = {
      {"queries", certificate.queries},
      {"k", certificate.k},
      {kind == IndexKind::hnsw ? "expansion" : "window", certificate.expansion},
      {"recall", certificate.recall},
      {"unreached", certificate.unreached},
  };
  return write_text_file(file, json.dump() + "\n");
}

namespace usearch {
namespace {

constexpr std::array<std::string_view, 1> extensions = {".usearch"};

ElementType scalar_of(const WriteOptions& options) {
  return options.index.scalar.value_or(options.element_type);
}

Result<std::unique_ptr<VectorWriter>> create(const std::filesystem::path& path, std::uint64_t dim,
                                             const WriteOptions& options) {
  IndexOptions index = options.index;
  index.scalar = scalar_of(options);
  return make_index_writer(path, path, dim, index, options.recipe);
}

Matrix as_stored(MatrixView rows, ElementType scalar) {
  Matrix back(rows.rows(), rows.cols());
  std::vector<std::byte> stored(row_bytes(scalar, rows.cols()));
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    encode_row(scalar, rows.row(r), stored.data());
    decode_row(scalar, stored.data(), back.row(r));
  }
  return back;
}

}  // namespace

const Format format = {
    .name = "usearch",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open,
    .create = create,
    .room = always<Room{.ids = IdsInside::numbers}>,
    .stored_type = scalar_of,
    .codes = CodeStorage::own,
    .as_stored = as_stored,
    .index = IndexKind::hnsw,
    .is_index = [](const std::filesystem::path&) { return true; },
};

}  // namespace usearch

}  // namespace embd
