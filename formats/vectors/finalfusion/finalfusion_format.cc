#include "formats/vectors/formats.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/path_text.h"
#include "base/try.h"
#include "formats/vectors/finalfusion/finalfusion_embeddings.h"
#include "formats/vectors/finalfusion/finalfusion_layout.h"
#include "formats/vectors/finalfusion/finalfusion_writer.h"
#include "formats/vectors/format.h"

namespace embd::finalfusion {
namespace {

using Json = nlohmann::ordered_json;

/// The names of the chunks with the ids 1 to 9.
constexpr std::array<std::string_view, last_chunk_id> chunk_names = {"simple vocabulary",
                                                                     "array",
                                                                     "bucket subword vocabulary",
                                                                     "quantized array",
                                                                     "metadata",
                                                                     "norms",
                                                                     "fastText subword vocabulary",
                                                                     "explicit subword vocabulary",
                                                                     "floret subword vocabulary"};

class WordRows final : public VectorReader, private PlainRowSource, private WordEmbeddingSource {
 public:
  WordRows(Embeddings embeddings, const ReadOptions& options)
      : embeddings_(std::move(embeddings)), all_rows_(options.all_rows) {
    const Parts& parts = embeddings_.parts();
    multiply_norms_ = options.unnormalize && parts.norms;
    info_.format = "finalfusion";
    info_.encoding = !parts.storage.quantized()       ? "f32"
                     : parts.storage.has_projection() ? "opq"
                                                      : "pq";
    info_.num_rows = all_rows_ ? parts.storage.num_rows() : embeddings_.num_words();
    info_.dim = embeddings_.dim();
  }

  const VectorSetInfo& info() const noexcept override { return info_; }

  Result<Ids> ids() const override {
    std::vector<std::string> ids;
    ids.reserve(info_.num_rows);
    for (std::uint64_t row = 0; row < embeddings_.num_words(); ++row)
      ids.emplace_back(embeddings_.word(row));
    while (ids.size() < info_.num_rows)
      ids.push_back(fmt::format("[subword {}]", ids.size() - embeddings_.num_words()));
    return ids;
  }

  Result<std::optional<Recipe>> recipe() const override {
    const auto& metadata = embeddings_.parts().metadata;
    if (!metadata) return std::nullopt;
    return in_file(path_of_text(file_name()), recipe_in(*metadata));
  }

  std::string describe() const override {
    const Parts& parts = embeddings_.parts();
    Json json = {{"format", info_.format},
                 {"version", version},
                 {"encoding", info_.encoding},
                 {"dim", info_.dim},
                 {"words", embeddings_.num_words()},
                 {"storage_rows", parts.storage.num_rows()},
                 {"header_chunk_ids", parts.header_ids}};
    for (const Chunk& chunk : parts.chunks) {
      json["chunks"].push_back({{"id", std::uint32_t(chunk.id)},
                                {"name", chunk_names[std::uint32_t(chunk.id) - 1]},
                                {"offset", chunk.offset},
                                {"length_field", chunk.length_field},
                                {"bytes", chunk.body_bytes}});
    }
    if (const auto subwords = parts.vocabulary.subword_parameters()) {
      Json& object = json["subwords"] = {
          {"rows", subwords->num_rows}, {"min_n", subwords->min_n}, {"max_n", subwords->max_n}};
      if (subwords->kind == SubwordKind::ngrams) object["ngrams"] = parts.vocabulary.num_ngrams();
      if (subwords->kind == SubwordKind::floret) {
        object["hashes"] = subwords->num_hashes;
        object["seed"] = subwords->seed;
        object["begin_of_word"] = subwords->begin_of_word;
        object["end_of_word"] = subwords->end_of_word;
      }
    }
    if (parts.storage.quantized()) {
      json["quantizer"] = {{"subquantizers", parts.storage.num_slices()},
                           {"centroids", parts.storage.num_centroids()},
                           {"projection", parts.storage.has_projection()},
                           {"norms", parts.storage.has_norms()}};
    }
    json["norms"] = parts.norms.has_value();
    const auto metadata = metadata_as_json(parts.metadata.value_or(""));
    json["metadata"] = nullptr;
    if (parts.metadata)
      json["metadata"] = parse_ordered_json(metadata.value_or("")).value_or(nullptr);
    json["trailing_bytes"] = parts.trailing_bytes;
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
  }

  /// Opening has checked all but the recipe, which is read here.
  Result<void> verify() const override {
    EMBD_TRY(recipe());
    return {};
  }

  const PlainRowSource* plain_rows() const noexcept override { return view() ? this : nullptr; }
  const WordEmbeddingSource* word_embeddings() const noexcept override { return this; }

 private:
  Result<void> read_rows(std::uint64_t first, std::uint64_t count,
                         std::span<float> out) const override {
    embeddings_.parts().storage.read(first, out);
    if (!multiply_norms_) return {};
    const std::span<const float> norms = *embeddings_.parts().norms;
    for (std::uint64_t row = first; row < first + count && row < norms.size(); ++row)
      for (float& value : out.subspan((row - first) * info_.dim, info_.dim)) value *= norms[row];
    return {};
  }

  std::optional<MatrixView> view() const noexcept override {
    const auto rows = embeddings_.parts().storage.view();
    if (!rows || multiply_norms_) return std::nullopt;
    return rows->slice(0, info_.num_rows);
  }
  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const override {
    EMBD_TRY(check_rows(first, count, info_.num_rows));
    const auto bytes = std::as_bytes(view()->slice(first, count).values());
    out.assign(bytes.begin(), bytes.end());
    return {};
  }

  Result<std::vector<float>> norms() const override {
    const auto& norms = embeddings_.parts().norms;
    if (!norms || multiply_norms_) return std::vector<float>{};
    return std::vector<float>(norms->begin(), norms->end());
  }
  Result<std::optional<Subwords>> subwords() const override {
    if (!all_rows_) return std::nullopt;
    return embeddings_.parts().vocabulary.subwords();
  }
  Result<std::string> metadata() const override {
    return std::string(embeddings_.parts().metadata.value_or(""));
  }

  std::string file_name() const { return text_of_path(embeddings_.path()); }

  Embeddings embeddings_;
  bool all_rows_;
  bool multiply_norms_ = false;
  VectorSetInfo info_;
};

bool has_magic(const std::filesystem::path&, Bytes head) {
  return as_text(head).starts_with(magic);
}

Result<std::unique_ptr<VectorReader>> open(const std::filesystem::path& path,
                                           const ReadOptions& options) {
  return std::make_unique<WordRows>(EMBD_TRY(Embeddings::open(path)), options);
}

constexpr std::array<std::string_view, 1> extensions = {".fifu"};

}  // namespace

const Format format = {
    .name = "finalfusion",
    .extensions = extensions,
    .has_magic = has_magic,
    .open = open,
    .create = Writer::create,
    .room = always<Room{.ids = IdsInside::any, .ids_first = true, .recipe = true}>,
    .needs_ids = true,
    .has_words = true,
};

}  // namespace embd::finalfusion
