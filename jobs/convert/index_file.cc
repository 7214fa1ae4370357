#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/output_set.h"
#include "base/try.h"
#include "embd/convert.h"
#include "embd/index.h"
#include "formats/vectors/ids.h"
#include "index/certificate.h"
#include "jobs/convert/convert.h"
#include "jobs/outputs/output_target.h"
#include "jobs/outputs/term_output.h"
#include "jobs/row_ids.h"
#include "jobs/sets/format_table.h"
#include "jobs/sets/index_sets.h"
#include "jobs/stored_codes.h"

namespace embd {
namespace {

/// Returns the number of values of a row in the index. Of binary codes, the single bits are
/// indexed, because distances between their bytes as numbers have no meaning.
Result<std::uint64_t> indexed_dim(const StoredCodes& codes, const IndexOptions& options) {
  if (codes.type != OutputType::binary) return codes.encoded_dim;
  if (options.kind != IndexKind::hnsw || options.scalar != ElementType::b1) {
    return fail(ErrorCode::invalid_argument,
                "the rows are binary codes, for which an index must be of the kind hnsw and the "
                "scalar type b1: choose these, for instance with the metric hamming");
  }
  return codes.encoded_dim;
}

/// Copies all rows to the index. If `are_bits` is true, the rows are binary codes, and their bits
/// are indexed.
Result<void> copy_rows(const VectorReader& from, const Ids& ids, VectorWriter& to, bool are_bits,
                       std::uint64_t indexed_dim, const std::stop_token& stop) {
  const auto [num_rows, dim] = std::pair(from.info().num_rows, from.info().dim);
  std::vector<float> values;
  for (std::uint64_t first = 0; first < num_rows;) {
    if (stop.stop_requested()) return fail_stopped();
    const std::uint64_t count = std::min(rows_at_once(dim), num_rows - first);
    values.resize(count * dim);
    EMBD_TRY(from.read(first, count, values));
    const MatrixView rows(values.data(), count, dim);
    const Ids some_ids = slice_ids(ids, first, count);
    EMBD_TRY(!are_bits ? to.append(rows, some_ids)
                       : to.append(signs_of(rows, indexed_dim), some_ids));
    first += count;
  }
  return {};
}

/// Checks that writing the index does not replace a file that is read.
Result<void> check_paths(const std::filesystem::path& vectors, const std::filesystem::path& output,
                         const Format& format) {
  PathRoles roles;
  reads_vectors(roles, "the vectors", vectors);
  writes_vectors(roles, "the output", output, format, {});
  return roles.check();
}

Result<void> certify_file(const std::filesystem::path& path, const IndexFileOptions& options) {
  OpenOptions open;
  open.of_codes = true;  // it is searched with its own rows, which are codes, too
  const SetSnapshot snapshot = SetSnapshot::begin(path);
  const Index index = EMBD_TRY(Index::open(path, open));
  SearchOptions search;
  search.threads = options.index.threads;
  const Certificate certificate = EMBD_TRY(certify(index, options.certify, search));
  if (!snapshot.is_current()) {
    return fail_in(path, ErrorCode::io_failed,
                   "another program replaced the index before it was certified");
  }
  return store_certificate(certificate, index.info().kind, path);
}

}  // namespace

Result<IndexKind> index_kind_of(const std::filesystem::path& output) {
  return *EMBD_TRY(format_for_index(output))->index;
}

Result<void> build_index(const std::filesystem::path& vectors, const ReadOptions& read,
                         IndexIds ids, const std::filesystem::path& output,
                         const IndexOptions& options, const std::stop_token& stop) {
  const auto reader = EMBD_TRY(open_vectors(vectors, read));
  const std::optional<Recipe> recipe = EMBD_TRY(reader->recipe());
  const StoredCodes codes = EMBD_TRY(stored_codes(*reader));
  const std::uint64_t dim = EMBD_TRY(indexed_dim(codes, options));
  const auto writer = EMBD_TRY(create_index(output, vectors, dim, options, recipe, stop));
  if (codes.ranges) EMBD_TRY(writer->codes()->set_ranges(*codes.ranges));
  const Ids row_ids = ids == IndexIds::of_set ? EMBD_TRY(in_file(vectors, reader->ids())) : Ids();
  EMBD_TRY(in_file(
      vectors, copy_rows(*reader, row_ids, *writer, codes.type == OutputType::binary, dim, stop)));
  return writer->finish();
}

Result<void> index_file(const std::filesystem::path& vectors, const std::filesystem::path& output,
                        const IndexFileOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<void> {
    const Format& format = *EMBD_TRY(format_for_index(output));
    IndexOptions index = options.index;
    index.kind = *format.index;
    EMBD_TRY(check_paths(vectors, output, format));
    EMBD_TRY(build_index(vectors, options.read, IndexIds::of_set, output, index, stop));
    return options.certify > 0 ? certify_file(output, options) : Result<void>();
  });
}

namespace {

/// The texts of a set's rows, read some at a time. The text of a row that is a window is the part
/// of its text that the window covers.
class SetTexts {
 public:
  static Result<SetTexts> open(const std::filesystem::path& path, ReadOptions read) {
    SetTexts texts;
    read.any_column = true;
    texts.set_ = EMBD_TRY(open_vectors(path, read));
    if (texts.set_->row_texts() == nullptr) {
      return fail(ErrorCode::missing,
                  "the set stores no texts: embed them into a Parquet file with a column of texts, "
                  "or write the term index then, as another output");
    }
    const auto recipe = EMBD_TRY(texts.set_->recipe());
    texts.are_windows_ = recipe && recipe->windows == Windows::rows;
    if (texts.are_windows_ && !texts.has_places()) {
      return fail(ErrorCode::missing,
                  "the rows are windows of texts, but their places (columns byte_begin and "
                  "byte_end) are not stored: write the term index when embedding");
    }
    return texts;
  }

  std::uint64_t num_rows() const noexcept { return set_->info().num_rows; }
  Result<std::vector<std::string>> read(std::uint64_t first, std::uint64_t count) const {
    auto texts = EMBD_TRY(set_->row_texts()->texts(first, count));
    if (!are_windows_) return texts;
    const auto begins = EMBD_TRY(places("byte_begin", first, count));
    const auto ends = EMBD_TRY(places("byte_end", first, count));
    for (std::uint64_t i = 0; i < count; ++i) {
      if (begins[i] > ends[i] || ends[i] > texts[i].size())
        return fail(ErrorCode::bad_value,
                    "row {} is a window of bytes {} to {}, but its text has {}", first + i,
                    begins[i], ends[i], texts[i].size());
      texts[i] = texts[i].substr(begins[i], ends[i] - begins[i]);
    }
    return texts;
  }

 private:
  bool has_places() const {
    if (set_->table() == nullptr) return false;
    const std::vector<NumberColumn> columns = set_->table()->columns();
    return std::ranges::all_of(std::array{"byte_begin", "byte_end"}, [&](std::string_view name) {
      const auto found = std::ranges::find(columns, name, &NumberColumn::name);
      return found != columns.end() && found->type == ElementType::i64 && found->dim == 1;
    });
  }
  Result<std::vector<std::uint64_t>> places(std::string_view column, std::uint64_t first,
                                            std::uint64_t count) const {
    std::vector<std::byte> bytes;
    EMBD_TRY(set_->table()->read_column(column, first, count, bytes));
    std::vector<std::uint64_t> numbers(count);
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }

  std::unique_ptr<VectorReader> set_;
  bool are_windows_ = false;
};

}  // namespace

Result<void> index_terms(const std::filesystem::path& vectors, const std::filesystem::path& output,
                         const TermOptions& options, const ReadOptions& read,
                         std::stop_token stop) {
  return guarded([&]() -> Result<void> {
    PathRoles roles;
    reads_vectors(roles, "the vectors", vectors);
    roles.writes("the output", output);
    EMBD_TRY(roles.check());
    const SetTexts texts = EMBD_TRY(in_file(vectors, SetTexts::open(vectors, read)));
    TermOutput terms = EMBD_TRY(TermOutput::create(without_trailing_slash(output), options));
    constexpr std::uint64_t rows_at_once = 1024;
    for (std::uint64_t first = 0; first < texts.num_rows(); first += rows_at_once) {
      if (stop.stop_requested()) return fail_stopped();
      const std::uint64_t count = std::min(rows_at_once, texts.num_rows() - first);
      for (const std::string& text : EMBD_TRY(in_file(vectors, texts.read(first, count))))
        EMBD_TRY(terms.append(text));
    }
    return terms.finish();
  });
}

}  // namespace embd
