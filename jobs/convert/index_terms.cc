#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "base/try.h"
#include "embd/convert.h"
#include "jobs/outputs/output_target.h"
#include "jobs/outputs/term_output.h"

namespace embd {
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
                    fmt::format("row {} is a window of bytes {} to {}, but its text has {}",
                                first + i, begins[i], ends[i], texts[i].size()));
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
