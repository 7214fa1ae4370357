#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_file.h"
#include "embd/error.h"
#include "embd/model.h"
#include "embd/recipe.h"
#include "embd/split.h"
#include "embd/terms.h"
#include "embd/vectors.h"
#include "jobs/collect/documents.h"

// The rows of a collection: passages.parquet and terms/ of a generation
// (docs/formats/collection.md).
namespace embd::collection {

/// Returns a text with U+FFFD in the place of bytes that are not UTF-8.
std::string valid_utf8(std::string_view text);

/// Returns the text that the model reads for a passage.
std::string embedded_text(std::string_view context, std::string_view text);

/// Passages without their vectors, column by column.
struct PassageRows {
  std::vector<std::string> ids = {};
  std::vector<std::string> texts = {};
  std::vector<std::string> files = {};
  std::vector<std::string> titles = {};
  std::vector<std::string> headings = {};  ///< JSON arrays of strings
  std::vector<std::string> contexts = {};
  std::vector<std::int64_t> first_lines = {};
  std::vector<std::int64_t> last_lines = {};
  std::vector<std::int64_t> byte_begins = {};
  std::vector<std::int64_t> byte_ends = {};

  std::size_t size() const noexcept { return ids.size(); }
  /// Returns the text that the model reads for passage i.
  std::string embedded_text(std::size_t i) const {
    return collection::embedded_text(contexts[i], texts[i]);
  }
  /// Adds a passage of the document `name`. Bytes that are not UTF-8 become U+FFFD.
  void add(const Passage& passage, const std::string& name);
};

/// The passages of a generation, open for reading. Any number of threads may read at the same time.
class PassageReader {
 public:
  /// Fails with missing for a set without the columns of a collection, and with the errors of
  /// opening it.
  static Result<PassageReader> open(const std::filesystem::path& path);

  std::uint64_t num_rows() const noexcept { return set_->info().num_rows; }
  std::uint64_t dim() const noexcept { return set_->info().dim; }
  Result<std::optional<Recipe>> recipe() const { return set_->recipe(); }
  /// Reads the ids of all passages.
  Result<std::vector<std::string>> ids() const;
  /// Read columns of rows [first, first + count), which must exist.
  Result<std::vector<std::string>> texts(std::uint64_t first, std::uint64_t count) const {
    return set_->row_texts()->texts(first, count);
  }
  Result<std::vector<std::string>> text_column(const char* name, std::uint64_t first,
                                               std::uint64_t count) const {
    return set_->table()->read_text_column(name, first, count);
  }
  Result<std::vector<std::int64_t>> number_column(const char* name, std::uint64_t first,
                                                  std::uint64_t count) const;
  /// Reads rows [first, first + count) without their ids.
  Result<PassageRows> rows(std::uint64_t first, std::uint64_t count) const;
  /// Reads the vectors of rows into `out` [count, dim].
  Result<void> vectors(std::uint64_t first, std::uint64_t count, std::span<float> out) const {
    return set_->read(first, count, out);
  }

 private:
  explicit PassageReader(std::unique_ptr<VectorReader> set) : set_(std::move(set)) {}

  std::unique_ptr<VectorReader> set_;
};

/// Returns true if a collection of `num_rows` passages has an index (CollectionInfo::index_rows).
constexpr bool has_index(std::uint64_t num_rows, std::uint64_t index_rows) noexcept {
  return num_rows > 0 && num_rows >= index_rows;
}

/// Writes a generation, a folder that appears when it is complete. If it is destroyed before
/// finish(), it leaves nothing behind. Not thread-safe.
class GenerationWriter {
 public:
  /// `recipe` is that of the vectors, which have `dim` values.
  static Result<GenerationWriter> create(const std::filesystem::path& folder, std::uint64_t dim,
                                         const Recipe& recipe, Stemmer stemmer);

  /// Takes the term index of the generation before, so that append_old() need not find terms. An
  /// index that was made in another way is not used.
  void take_terms(TermIndex terms);

  Result<void> append(MatrixView vectors, const PassageRows& passages);
  /// Appends passages that the generation before has from row `first` on.
  Result<void> append_old(MatrixView vectors, const PassageRows& passages, std::uint64_t first);
  std::uint64_t num_rows() const noexcept { return terms_.num_rows(); }
  /// Writes what depends on all passages; an index if they are as many as has_index() wants, built
  /// on `threads` threads. Fails with cancelled after a stop request.
  Result<void> finish(std::span<const FileEntry> files, std::uint64_t index_rows, int threads,
                      const std::stop_token& stop);

 private:
  GenerationWriter(OutputDirectory folder, std::unique_ptr<VectorWriter> vectors,
                   TermIndexBuilder terms)
      : folder_(std::move(folder)), vectors_(std::move(vectors)), terms_(std::move(terms)) {}

  Result<void> append_vectors(MatrixView vectors, const PassageRows& passages);
  Result<void> append_terms(const PassageRows& passages);

  OutputDirectory folder_;
  std::unique_ptr<VectorWriter> vectors_;
  std::unique_ptr<const TermIndex> old_terms_;
  TermIndexBuilder terms_;
};

}  // namespace embd::collection
