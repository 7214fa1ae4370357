#include "jobs/convert/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/guard.h"
#include "base/try.h"
#include "formats/vectors/ids.h"
#include "jobs/convert/row_parts.h"
#include "jobs/joined_sets.h"
#include "jobs/outputs/outputs.h"
#include "jobs/recorded_digest.h"
#include "jobs/rows_at_once.h"
#include "jobs/stored_codes.h"
#include "vectors/set_roles.h"

namespace embd {
namespace {

Result<RowRange> range_of(const ConvertOptions& options, std::uint64_t num_rows) {
  const RowRange range = {options.first_row.value_or(0), options.end_row.value_or(num_rows)};
  if (range.first <= range.end && range.end <= num_rows) return range;
  return fail(ErrorCode::invalid_argument,
              fmt::format("rows {}:{} of {}: expected A:B with A ≤ B ≤ {}", range.first, range.end,
                          num_rows, num_rows));
}

/// Original lengths of the rows taken; none unless every input has them.
Result<std::vector<float>> joined_norms(const Readers& inputs, RowRange range) {
  std::vector<float> all;
  for (const auto& input : inputs) {
    const WordEmbeddingSource* words = input->word_embeddings();
    if (words == nullptr) return std::vector<float>();
    const std::vector<float> norms = EMBD_TRY(words->norms());
    if (norms.size() != input->info().num_rows) return std::vector<float>();
    all.insert(all.end(), norms.begin(), norms.end());
  }
  return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(range.first),
                            all.begin() + static_cast<std::ptrdiff_t>(range.end));
}

/// What word embeddings have besides rows and ids: finalfusion keeps it.
Result<void> take_word_parts(const Readers& inputs, RowRange range, FinalfusionOptions& write) {
  const std::uint64_t num_rows = inputs[0]->info().num_rows;
  const bool whole = inputs.size() == 1 && range.first == 0 && range.end == num_rows;
  for (const auto& input : inputs) {
    const WordEmbeddingSource* words = input->word_embeddings();
    if (words == nullptr) continue;
    if (inputs.size() == 1) write.metadata = EMBD_TRY(words->metadata());
    write.subwords = EMBD_TRY(words->subwords());
    if (!write.subwords) continue;
    if (!whole) {
      return fail(ErrorCode::invalid_argument,
                  "subword rows belong to all words of one input: read the words alone");
    }
    write.norms = EMBD_TRY(words->norms());
    return {};
  }
  write.norms = EMBD_TRY(joined_norms(inputs, range));
  return {};
}

/// Sections or chunks in the order of their rows, of which none has begun yet.
class PartsToCome {
 public:
  explicit PartsToCome(std::span<const RowSection> parts) : parts_(parts) {}

  /// The next, if it begins with row `row`.
  const RowSection* take(std::uint64_t row) {
    if (parts_.empty() || parts_.front().rows.first != row) return nullptr;
    const RowSection* part = &parts_.front();
    parts_ = parts_.subspan(1);
    return part;
  }
  std::uint64_t rows_to_next(std::uint64_t row) const {
    return parts_.empty() ? std::numeric_limits<std::uint64_t>::max()
                          : parts_.front().rows.first - row;
  }

 private:
  std::span<const RowSection> parts_;
};

/// Takes rows of one input at a time to the outputs, with what belongs to them.
class RowCopy {
 public:
  RowCopy(const Ids& ids, const RowParts& parts, const std::stop_token& stop, Outputs& outputs)
      : ids_(ids),
        parts_(parts),
        stop_(stop),
        outputs_(outputs),
        sections_(parts.sections),
        chunks_(parts.chunks),
        columns_(parts.columns.size()) {}

  /// Rows [range.first, range.end) of `input`, which come after all copied before.
  Result<void> copy(const VectorReader& input, RowRange range) {
    const std::uint64_t dim = input.info().dim;
    while (range.first < range.end) {
      if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "");
      EMBD_TRY(begin_parts());
      const std::uint64_t count =
          std::min({rows_at_once(dim), range.end - range.first, sections_.rows_to_next(num_rows_),
                    chunks_.rows_to_next(num_rows_)});
      buffer_.resize(count * dim);
      EMBD_TRY(input.read(range.first, count, buffer_));
      EMBD_TRY(read_columns(input, range.first, count));
      RowBatch batch;
      batch.rows = {buffer_.data(), count, dim};
      batch.ids = slice_ids(ids_, num_rows_, count);
      if (parts_.texts) batch.texts = EMBD_TRY(input.row_texts()->texts(range.first, count));
      EMBD_TRY(outputs_.append(batch));
      num_rows_ += count;
      range.first += count;
    }
    return {};
  }

  /// Begins the sections and the chunk that start with the next row.
  Result<void> begin_parts() {
    while (const RowSection* section = sections_.take(num_rows_))
      EMBD_TRY(outputs_.begin_section(section->metadata));
    while (const RowSection* chunk = chunks_.take(num_rows_))
      EMBD_TRY(outputs_.begin_chunk(chunk->metadata));
    return {};
  }

 private:
  Result<void> read_columns(const VectorReader& input, std::uint64_t first, std::uint64_t count) {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      EMBD_TRY(input.table()->read_column(parts_.columns[c].name, first, count, columns_[c]));
    return outputs_.set_columns(std::vector<Bytes>(columns_.begin(), columns_.end()));
  }

  const Ids& ids_;
  const RowParts& parts_;
  const std::stop_token& stop_;
  Outputs& outputs_;
  std::uint64_t num_rows_ = 0;  // copied
  PartsToCome sections_;
  PartsToCome chunks_;
  std::vector<float> buffer_;
  std::vector<std::vector<std::byte>> columns_;
};

Result<void> copy_rows(const Readers& inputs, RowRange range, RowCopy& rows) {
  std::uint64_t input_begin = 0;
  for (const auto& input : inputs) {
    const std::uint64_t input_end = input_begin + input->info().num_rows;
    const std::uint64_t first = std::clamp(range.first, input_begin, input_end);
    const std::uint64_t end = std::clamp(range.end, input_begin, input_end);
    EMBD_TRY(rows.copy(*input, {first - input_begin, end - input_begin}));
    input_begin = input_end;
  }
  return rows.begin_parts();  // sections that have no rows
}

/// What of the inputs does not go into the output.
std::vector<LeftOut> left_out(const Readers& inputs, const Room& room) {
  std::vector<LeftOut> all;
  for (const auto& input : inputs) {
    const std::string parts = parts_left_out(*input, room);
    if (!parts.empty()) all.push_back({input.path, parts});
  }
  return all;
}

/// The number of values that the rows of all inputs have. A set without rows may not say; where
/// none does, it is `unsaid`, unless that is 0.
Result<std::uint64_t> common_dim(const Readers& inputs, std::uint64_t unsaid) {
  const OpenSet* first = &inputs[0];  // of those that say
  for (const OpenSet& input : inputs) {
    const std::uint64_t dim = input->info().dim;
    if (dim == 0) continue;
    if ((*first)->info().dim == 0) first = &input;
    if (dim == (*first)->info().dim) continue;
    return fail_in(input.path, ErrorCode::bad_count,
                   fmt::format("rows of {} values, {} has {}", dim, first->path.native(),
                               (*first)->info().dim));
  }
  if ((*first)->info().dim > 0) return (*first)->info().dim;
  if (unsaid > 0) return unsaid;
  return fail_in(first->path, ErrorCode::bad_count,
                 "no rows, and nothing that says how many values they have");
}

/// That the output is none of the files that are read.
Result<void> check_paths(const std::vector<std::filesystem::path>& inputs,
                         const std::filesystem::path& target, const Format& format,
                         const OutputOptions& options) {
  PathRoles roles;
  for (const std::filesystem::path& path : inputs) reads_vectors(roles, "the input", path);
  roles.reads("the ranges", options.int8_ranges);
  writes_vectors(roles, "the output", target, format, options.write);
  return roles.check();
}

Result<Readers> open_inputs(const std::vector<std::filesystem::path>& paths,
                            const ReadOptions& options) {
  Readers inputs;
  for (const std::filesystem::path& path : paths) {
    auto vectors = EMBD_TRY(open_vectors(path, options));
    inputs.push_back({path, std::move(vectors)});
  }
  return inputs;
}

/// The digest of all rows, which are to have `ids` in a file of `format`; nothing where they become
/// other rows there, or where it is not known.
Result<std::optional<Digest>> digest_of(const Readers& inputs, const ConvertOptions& options,
                                        const JobInParts* job, const Ids& ids,
                                        const Format& format) {
  if (options.output.write.finalfusion.normalize || !keeps_ids(format, ids)) return std::nullopt;
  if (job != nullptr) return job->digest;
  return joined_digest(inputs, options.read, ids);
}

/// `job`: null unless the inputs are all parts of one.
Result<ConvertReport> convert(const std::vector<std::filesystem::path>& paths,
                              const std::filesystem::path& target, const ConvertOptions& options,
                              const JobInParts* job, const std::stop_token& stop) {
  if (paths.empty()) return fail(ErrorCode::invalid_argument, "no input");
  OutputOptions output = options.output;
  const Format& format = *EMBD_TRY(Outputs::format_of(target, output));
  EMBD_TRY(check_paths(paths, target, format, output));
  ReadOptions read = options.read;
  // One that has room for them takes the others, too.
  read.any_column = read.any_column || format.room(target, output.write).columns;
  const Readers inputs = EMBD_TRY(open_inputs(paths, read));
  const std::uint64_t dim = EMBD_TRY(common_dim(inputs, job != nullptr ? job->dim : 0));
  std::uint64_t num_rows = 0;
  for (const auto& input : inputs) num_rows += input->info().num_rows;
  const RowRange range = EMBD_TRY(range_of(options, num_rows));
  WriteOptions& write = output.write;
  write.recipe = EMBD_TRY(common_recipe(inputs, options.force));
  const StoredCodes codes = EMBD_TRY(take_codes(inputs, format, output));
  const bool is_part = range.first > 0 || range.end < num_rows;
  const bool keep_row_numbers = is_part || (job != nullptr && job->has_ids);
  write.ids = EMBD_TRY(joined_ids(inputs, keep_row_numbers));
  if (is_part) write.ids = ids_of_part(write.ids, range);
  std::optional<Digest> digest;
  if (!is_part) digest = EMBD_TRY(digest_of(inputs, options, job, write.ids, format));
  write.num_rows = range.end - range.first;
  if (format.needs_ids && !count_ids(write.ids)) write.ids = row_numbers({0, *write.num_rows});
  if (format.name == "finalfusion") EMBD_TRY(take_word_parts(inputs, range, write.finalfusion));
  write.parquet.texts =
      std::ranges::any_of(inputs, [](const auto& set) { return set->row_texts() != nullptr; });
  Room room = format.room(target, write);
  room.chunks = room.chunks && write.cvc.chunk_rows == 0;  // chunks of another size are others
  const RowParts parts = EMBD_TRY(joined_parts(inputs, range, room));
  write.cvc.column = parts.column;
  write.columns = parts.columns;
  if (output.type == OutputType::automatic &&
      write.cvc.compression == CvcOptions::Compression::automatic)
    write.cvc.compression = kept_compression(inputs);
  for (const RowSection& chunk : parts.chunks)
    write.cvc.chunk_rows = std::max(write.cvc.chunk_rows, chunk.rows.end - chunk.rows.first);
  Outputs outputs = EMBD_TRY(Outputs::create(
      {target}, output, {.dim = dim, .are_codes = codes.type != OutputType::automatic}));
  RowCopy rows(write.ids, parts, stop, outputs);
  EMBD_TRY(in_file(target, copy_rows(inputs, range, rows)));
  if (codes.ranges) EMBD_TRY(outputs.set_ranges(*codes.ranges));
  if (digest) outputs.set_digest(*digest);
  if (job != nullptr) outputs.set_input_sha256(job->input_sha256);
  EMBD_TRY(outputs.finish());
  return ConvertReport{.rows = range.end - range.first,
                       .left_out = left_out(inputs, room),
                       .losses = outputs.losses()};
}

}  // namespace

Result<ConvertReport> convert_vectors(const std::vector<std::filesystem::path>& inputs,
                                      const std::filesystem::path& output,
                                      const ConvertOptions& options, std::stop_token stop) {
  return guarded([&] { return convert(inputs, output, options, nullptr, stop); });
}

Result<ConvertReport> convert_parts(const std::vector<std::filesystem::path>& inputs,
                                    const std::filesystem::path& output,
                                    const ConvertOptions& options, const JobInParts& job,
                                    const std::stop_token& stop) {
  return guarded([&] { return convert(inputs, output, options, &job, stop); });
}

}  // namespace embd
