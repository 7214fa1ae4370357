#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "embd/embed_file.h"
#include "embd/error.h"
#include "embd/model.h"
#include "embd/searcher.h"
#include "embd/terms.h"
#include "embd/texts.h"

// Collections: folders of documents that can be searched, and are brought up to date.
namespace embd {

/// A folder, or a single file, whose documents are in a collection.
struct CollectionRoot {
  /// The path as it was given first. The names of its files begin with it.
  std::string name;
  std::filesystem::path path;  ///< absolute, without symbolic links
  bool operator==(const CollectionRoot&) const = default;
};

/// The settings of a collection, which later runs of collect() keep.
struct CollectionInfo {
  std::uint64_t generation = 0;  ///< from 1; each update that changes passages adds 1
  std::vector<CollectionRoot> roots = {};
  std::filesystem::path model = {};  ///< CollectOptions::model_path of the last update
  std::uint32_t max_tokens = 256;    ///< SplitOptions::max_tokens of its passages
  Stemmer stemmer = Stemmer::english;
  std::uint64_t index_rows = 200'000;  ///< as in CollectOptions
};

/// Options for collect().
struct CollectOptions {
  /// The most tokens of a passage and its context (see SplitOptions). If it is unset, a collection
  /// keeps its own number; a new one has 256.
  std::optional<std::uint32_t> max_tokens = {};
  /// The stemmer of the term index. If it is unset, a collection keeps its own; a new one has
  /// Stemmer::english.
  std::optional<Stemmer> stemmer = {};
  /// The number of passages from which on a collection has an index (HNSW), with which searches
  /// read few of the vectors. It is built anew by each update that changes passages. If it is
  /// unset, a collection keeps its own number; a new one has 200,000.
  std::optional<std::uint64_t> index_rows = {};
  /// Read every file and compare its hash. By default a file with the size and the time of change
  /// that the collection has recorded counts as unchanged.
  bool check_content = false;
  /// Continue if more than half of the files are gone, and embed everything again if the collection
  /// was made with another model or other options.
  bool force = false;
  /// The number of threads; it changes no byte. 0 means as many as the process's CPU affinity and
  /// cgroup allow.
  int threads = 0;
  /// The file of the model, which the collection records, so that programs find it again.
  std::filesystem::path model_path = {};
  /// A function that is called with the progress of embedding. A row is a passage that has no
  /// vector yet. See EmbedOptions::progress.
  std::function<void(const EmbedProgress&)> progress = {};
  /// A function that is called with each document that is left out, because it is no text or too
  /// large, and each symbolic link that leads out of its root.
  std::function<void(const Error&)> on_skip = {};
};

/// The results of collect().
struct CollectReport {
  std::uint64_t files = 0;          ///< documents of the collection
  std::uint64_t new_files = 0;      ///< documents that it did not have before
  std::uint64_t changed_files = 0;  ///< documents with other bytes than before
  std::uint64_t gone_files = 0;     ///< documents that it no longer has
  std::uint64_t passages = 0;       ///< rows of the collection
  std::uint64_t embedded = 0;       ///< texts that the model embedded in this run
  std::uint64_t reused = 0;         ///< passages whose vectors this or an interrupted run took over
  std::uint64_t tokens = 0;         ///< tokens of the texts that were embedded
  double seconds = 0;               ///< the duration of this run
  std::uint64_t generation = 0;     ///< of the collection, after this run
  /// True if more than half of the files are gone, and CollectOptions::force is not set. Then
  /// nothing was changed.
  bool is_refused = false;
};

/// Makes a collection of the documents in `roots`, or brings it up to date, so that it has the
/// passages of the documents as they are now. A folder stands for the documents that
/// document_files() finds in it. Further roots are added to those that the collection has. Without
/// roots, a collection keeps its own.
///
/// The files passages.parquet, terms/ and passages.usearch of a collection have the bytes that a
/// new collection of the same roots would have. A vector is computed only for a passage whose text
/// and context the collection did not have. Rows that an interrupted run has computed are taken
/// over. If nothing has changed, nothing is written. Readers see the old state until the new one is
/// complete.
///
/// Needs memory for the passages of new and changed files and the vectors of new passages. Fails
/// with invalid_argument for no roots, for wrong options, and for a root that is in another one;
/// with not_found or io_failed if a root is missing, if a file cannot be read, or if another
/// process is updating the collection; with recipe_mismatch for a model or options that give other
/// vectors (unless CollectOptions::force is set); with missing for a new collection without
/// documents; with bad_json, missing, unsupported_version and the errors of reading files for a
/// damaged collection; with cancelled after a stop request. Then the collection is as it was.
Result<CollectReport> collect(const Model& model, std::span<const std::filesystem::path> roots,
                              const std::filesystem::path& folder,
                              const CollectOptions& options = {}, std::stop_token stop = {});

/// Returns true if a path is a folder with a collection.
bool is_collection(const std::filesystem::path& path);
/// Reads the settings of a collection. Fails with not_found or io_failed; with bad_json, bad_type,
/// missing or bad_value for a damaged record; with unsupported_version.
Result<CollectionInfo> collection_info(const std::filesystem::path& folder);

/// The state of a document of a collection, compared with what was collected.
enum class DocumentState : std::uint8_t {
  unchanged,  ///< it has the size and the time of change that were recorded
  changed,
  gone,  ///< it does not exist any more, or cannot be reached
};

/// The place of a passage in a document.
struct PassagePlace {
  std::string file;            ///< the name of the document in the collection
  std::filesystem::path path;  ///< the document itself, absolute
  std::uint64_t first_line = 0;
  std::uint64_t last_line = 0;
  std::vector<std::string> headings = {};  ///< as in Passage
  DocumentState state = DocumentState::unchanged;
};

/// Lines of a document of a collection.
struct DocumentLines {
  std::string text;              ///< with their line ends; bytes that are not UTF-8 are U+FFFD
  std::uint64_t first_line = 0;  ///< from 1
  std::uint64_t last_line = 0;   ///< fewer than were asked for if the document ends before
  std::uint64_t num_lines = 0;   ///< of the document
  DocumentState state = DocumentState::unchanged;
};

/// The current generation of a collection, open for reading. An update of the collection does not
/// affect it. Any number of threads may read at the same time.
class Collection {
 public:
  /// Opens a collection. Fails with the errors of collection_info() and of reading its files.
  static Result<Collection> open(const std::filesystem::path& folder);

  Collection(Collection&&) noexcept;
  Collection& operator=(Collection&&) noexcept;
  ~Collection();

  const CollectionInfo& info() const noexcept;
  /// Returns the vector set of the passages, and the term index. An update removes the files.
  std::filesystem::path passages() const;
  std::filesystem::path terms() const;
  std::uint64_t num_passages() const noexcept;
  /// Returns the place of the passage of a row, and looks at the document. Fails with
  /// invalid_argument for a row that does not exist, and with the errors of reading the collection.
  Result<PassagePlace> place(std::uint64_t row) const;
  /// Reads lines [first, last] of a document as it is now; `file` is PassagePlace::file. Never
  /// reads anything but a document of the collection, in its root. Fails with missing for a name
  /// that the collection does not have; with invalid_argument for a document that a symbolic link
  /// leads out of its root, and for lines that it does not have; and with the errors of
  /// read_document().
  Result<DocumentLines> read_lines(const std::string& file, std::uint64_t first,
                                   std::uint64_t last) const;

 private:
  struct Impl;
  explicit Collection(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A collection and a searcher of its passages, by vectors and by terms.
struct SearchedCollection {
  Collection collection;
  Searcher searcher;
};
/// Opens a collection for searching. Fails with the errors of Collection::open() and
/// Searcher::open().
Result<SearchedCollection> search_collection(const std::filesystem::path& folder,
                                             const SearcherOptions& options = {});

/// Opens the texts of the passages of a collection as the model reads them, each with its context.
/// verify_records() compares their vectors. Fails with the errors of Collection::open().
Result<std::unique_ptr<RecordReader>> collection_texts(const std::filesystem::path& folder);

}  // namespace embd
