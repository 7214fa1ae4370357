#include "jobs/convert/convert.h"

#include <algorithm>

#include "base/path_text.h"
#include "base/try.h"
#include "embd/format_options.h"
#include "formats/vectors/ids.h"
#include "jobs/convert/row_parts.h"
#include "jobs/joined_sets.h"
#include "jobs/outputs/outputs.h"
#include "jobs/stored_codes.h"

namespace embd {
namespace {

/// Returns the original lengths of the rows in `range`; none if a set does not have them.
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

/// Gives the writer of word embeddings what the rows `taken` of all sets have besides words and
/// rows: original lengths, n-gram rows, metadata. Fails with invalid_argument for n-gram rows of
/// several sets, and if only some n-gram rows are taken.
Result<void> take_word_parts(const Readers& sets, RowRange taken, FinalfusionOptions& write) {
  const std::uint64_t num_rows = sets[0]->info().num_rows;
  const bool whole = sets.size() == 1 && taken.first == 0 && taken.end == num_rows;
  for (const auto& input : sets) {
    const WordEmbeddingSource* words = input->word_embeddings();
    if (words == nullptr) continue;
    if (sets.size() == 1) write.metadata = EMBD_TRY(words->metadata());
    write.subwords = EMBD_TRY(words->subwords());
    if (!write.subwords) continue;
    if (!whole) {
      return fail(ErrorCode::invalid_argument,
                  "the file has rows of subwords, which belong to the words of this file and "
                  "cannot be joined with others: read the rows of the words alone");
    }
    write.norms = EMBD_TRY(words->norms());
    return {};
  }
  write.norms = EMBD_TRY(joined_norms(sets, taken));
  return {};
}

Result<RowRange> range_of(const ConvertOptions& options, std::uint64_t num_rows) {
  const RowRange range = {options.first_row.value_or(0), options.end_row.value_or(num_rows)};
  if (range.first <= range.end && range.end <= num_rows) return range;
  return fail(ErrorCode::invalid_argument,
              "rows {}:{} were asked for, but there are {} rows, expected A:B with A ≤ B ≤ {}",
              range.first, range.end, num_rows, num_rows);
}

/// Lists the metadata of the inputs that the output cannot hold.
std::vector<LeftOut> left_out(const Readers& inputs, const Room& room) {
  std::vector<LeftOut> all;
  for (const auto& input : inputs) {
    const std::string parts = parts_left_out(*input, room);
    if (!parts.empty()) all.push_back({input.path, parts});
  }
  return all;
}

/// Returns the number of values of a row, which all inputs must have in common. A set without rows
/// may not state it. If no input does, it is `unsaid`, unless that is 0.
Result<std::uint64_t> common_dim(const Readers& inputs, std::uint64_t unsaid) {
  const OpenSet* first = &inputs[0];  // the first set that states it
  for (const OpenSet& input : inputs) {
    const std::uint64_t dim = input->info().dim;
    if (dim == 0) continue;
    if ((*first)->info().dim == 0) first = &input;
    if (dim == (*first)->info().dim) continue;
    return fail_in(input.path, ErrorCode::bad_count,
                   "the rows have {} values, but the rows of {} have {}", dim,
                   text_of_path(first->path), (*first)->info().dim);
  }
  if ((*first)->info().dim > 0) return (*first)->info().dim;
  if (unsaid > 0) return unsaid;
  return fail_in(first->path, ErrorCode::bad_count,
                 "the vector set has no rows, so the number of values of a row is unknown");
}

/// Returns the kind of all inputs' rows, vectors or scores. A set without rows may not state it.
Result<RowKind> common_kind(const Readers& inputs) {
  const OpenSet* first = nullptr;  // the first set that states it
  for (const OpenSet& input : inputs) {
    if (input->info().dim == 0) continue;
    if (first == nullptr) first = &input;
    if (input->info().kind == (*first)->info().kind) continue;
    return fail_in(input.path, ErrorCode::invalid_argument,
                   "one of this file and {} contains vectors, and the other contains scores: "
                   "convert the two kinds separately",
                   text_of_path(first->path));
  }
  return first == nullptr ? RowKind::vector : (*first)->info().kind;
}

/// A conversion that is being carried out. Each step decides what of the inputs the output gets.
class Conversion {
 public:
  explicit Conversion(const ConvertPlan& plan) : plan_(plan), target_(plan.output) {}

  Result<ConvertReport> run(const std::stop_token& stop) {
    EMBD_TRY(open_inputs());
    EMBD_TRY(take_range());
    write().recipe = EMBD_TRY(common_recipe(inputs_, plan_.options.force));
    codes_ = EMBD_TRY(take_codes(inputs_, dim_, target_));
    EMBD_TRY(take_ids());
    EMBD_TRY(take_parts());
    return copy(stop);
  }

 private:
  const Format& format() const noexcept { return *target_.format; }
  WriteOptions& write() noexcept { return target_.options.write; }
  std::uint64_t num_rows() const noexcept { return range_.end - range_.first; }

  Result<void> open_inputs() {
    ReadOptions read = plan_.options.read;
    // An output with columns takes all columns of the inputs, so none need be chosen.
    read.any_column = read.any_column || format().room(target_.path, write()).columns;
    for (const std::filesystem::path& path : plan_.inputs) {
      auto vectors = EMBD_TRY(open_vectors(path, read));
      inputs_.push_back({path, std::move(vectors)});
    }
    dim_ = EMBD_TRY(common_dim(inputs_, plan_.job ? plan_.job->dim : 0));
    const RowKind kind = EMBD_TRY(common_kind(inputs_));
    // In other formats scores and logits become the values of plain rows, which no job writes.
    if (plan_.job)
      write().kind = plan_.job->kind;
    else if (format().has_scores)
      write().kind = kind;
    return {};
  }

  Result<void> take_range() {
    std::uint64_t num_rows = 0;
    for (const auto& input : inputs_) num_rows += input->info().num_rows;
    range_ = EMBD_TRY(range_of(plan_.options, num_rows));
    is_part_ = range_.first > 0 || range_.end < num_rows;
    write().num_rows = range_.end - range_.first;
    return {};
  }

  Result<void> take_ids() {
    Ids& ids = write().ids;
    const bool keep_row_numbers = is_part_ || (plan_.job && plan_.job->has_ids);
    ids = EMBD_TRY(joined_ids(inputs_, keep_row_numbers));
    if (is_part_) ids = ids_of_part(ids, range_);
    digest_ = EMBD_TRY(digest_of(ids));
    if (format().needs_ids && !count_ids(ids)) ids = row_numbers({0, num_rows()});
    return {};
  }

  /// Returns the digest of all rows of the output; nothing if rows or ids change, or if it is not
  /// known.
  Result<std::optional<Digest>> digest_of(const Ids& ids) {
    if (is_part_ || write().finalfusion.normalize || !keeps_ids(format(), ids)) return std::nullopt;
    if (plan_.job) return plan_.job->digest;
    return joined_digest(inputs_, plan_.options.read, ids);
  }

  Result<void> take_parts() {
    if (format().has_words) EMBD_TRY(take_word_parts(inputs_, range_, write().finalfusion));
    write().parquet.texts =
        std::ranges::any_of(inputs_, [](const auto& set) { return set->row_texts() != nullptr; });
    room_ = format().room(target_.path, write());
    // Chunks of another size lose their metadata.
    room_.chunks = room_.chunks && write().cvc.chunk_rows == 0;
    parts_ = EMBD_TRY(joined_parts(inputs_, range_, room_));
    if (packs_bits(format(), codes_.type)) parts_.unpacked_dim = codes_.encoded_dim;
    if (plan_.job) join_equal_sections(parts_.sections);
    write().columns = parts_.columns;
    write().text_columns = parts_.text_columns;
    CvcOptions& cvc = write().cvc;
    cvc.column = parts_.column;
    if (target_.options.type == OutputType::automatic &&
        cvc.compression == CvcOptions::Compression::automatic)
      cvc.compression = kept_compression(inputs_);
    for (const RowSection& chunk : parts_.chunks)
      cvc.chunk_rows = std::max(cvc.chunk_rows, chunk.rows.end - chunk.rows.first);
    return {};
  }

  Result<ConvertReport> copy(const std::stop_token& stop) {
    const bool unpacks = parts_.unpacked_dim > 0;
    const bool are_codes = codes_.type != OutputType::automatic && !unpacks;
    const std::uint64_t dim = unpacks ? parts_.unpacked_dim : dim_;
    Outputs outputs =
        EMBD_TRY(Outputs::create({target_}, {.rows = {.dim = dim, .are_codes = are_codes}}));
    EMBD_TRY(in_file(target_.path, copy_rows(inputs_, range_, write().ids, parts_, outputs, stop)));
    if (codes_.ranges) EMBD_TRY(outputs.set_ranges(*codes_.ranges));
    if (digest_) outputs.set_digest(*digest_);
    if (plan_.job) outputs.set_input_sha256(plan_.job->input_sha256);
    EMBD_TRY(outputs.finish());
    return ConvertReport{
        .rows = num_rows(), .left_out = left_out(inputs_, room_), .losses = outputs.losses()};
  }

  const ConvertPlan& plan_;
  OutputTarget target_;
  Readers inputs_;
  std::uint64_t dim_ = 0;
  RowRange range_;
  bool is_part_ = false;  // true if some rows are left out
  StoredCodes codes_;
  std::optional<Digest> digest_;
  Room room_;
  RowParts parts_;
};

}  // namespace

Result<void> check_roles(const ConvertPlan& plan, PathRoles roles) {
  for (const std::filesystem::path& path : plan.inputs) reads_vectors(roles, "the input", path);
  roles.reads("the ranges", plan.output.options.int8_ranges);
  plan.output.add_roles(roles, "the output");
  return roles.check();
}

Result<ConvertReport> convert_vectors(const ConvertPlan& plan, const std::stop_token& stop) {
  return guarded([&] { return Conversion(plan).run(stop); });
}

Result<ConvertReport> convert_vectors(const std::vector<std::filesystem::path>& inputs,
                                      const std::filesystem::path& output,
                                      const ConvertOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<ConvertReport> {
    if (inputs.empty())
      return fail(ErrorCode::invalid_argument, "no input was given, expected at least one");
    OutputTarget target = EMBD_TRY(resolve_output(output, options.output));
    const ConvertPlan plan = {inputs, std::move(target), options};
    EMBD_TRY(check_roles(plan));
    return convert_vectors(plan, stop);
  });
}

}  // namespace embd
