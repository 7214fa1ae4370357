#pragma once

#include "base/output_file.h"
#include "base/spill_file.h"
#include "embd/vectors.h"
#include "formats/vectors/finalfusion/finalfusion_layout.h"
#include "formats/vectors/finalfusion/unique_words.h"

namespace embd::finalfusion {

/// Writes a finalfusion file, the same bytes as the reference libraries for the same content.
///
/// The words stand before the rows in the file. Where all are known at the start
/// (WriteOptions.ids), rows go where they belong as they come; otherwise both wait in files without
/// a name until finish(), as rows that are to be quantized always do. Memory does not grow with the
/// dimension or the length of words that wait: 21 to 43 bytes a row, 4 more with norms and with a
/// quantizer. A quantizer learns from at most 32,768 rows and keeps the length of every row beside
/// its codes, as the reference does.
class Writer final : public VectorWriter {
 public:
  /// Errors: invalid_argument, unsupported for options that do not fit; bad_toml; those of creating
  /// a file.
  static Result<std::unique_ptr<VectorWriter>> create(const std::filesystem::path& path,
                                                      std::uint64_t dim,
                                                      const WriteOptions& options);

  std::optional<QuantizationLoss> loss() const override { return loss_; }

 private:
  Writer(const std::filesystem::path& path, std::uint64_t dim, FinalfusionOptions options,
         OutputFile file)
      : VectorWriter(dim, kept_with(options)),
        options_(std::move(options)),
        file_(std::move(file)),
        words_(SpillFile::beside(path)),
        rows_(SpillFile::beside(path)) {}

  /// Ids are the words; numbers are written out; without ids words are row numbers from 0. Rows
  /// after `subwords.num_words` are those of subwords, their ids ignored. Ids that create() was
  /// given stand; those given here are then ignored. Errors: duplicate, with the row; those of
  /// writing.
  Result<void> append_rows(MatrixView rows, const Ids& ids) override;
  Result<void> prepare_file() override;
  Result<void> finish_file() override;

  std::uint64_t max_words() const;
  /// Centroids are means of values, and a row of length 1 has lost an infinite length.
  static KeptValues kept_with(const FinalfusionOptions& options) {
    const bool as_given =
        options.quantizer == FinalfusionOptions::Quantizer::none && !options.normalize;
    return as_given ? KeptValues::any : KeptValues::codes;
  }
  bool is_quantized() const { return options_.quantizer != FinalfusionOptions::Quantizer::none; }
  bool has_norms() const { return options_.normalize || !options_.norms.empty(); }
  /// Takes the words of all rows to come, and writes what stands before the rows.
  Result<void> begin(const Ids& ids);
  Result<void> append_words(std::uint64_t rows, const Ids& ids);
  Result<void> append_word(std::string_view word);
  Result<void> put_rows(MatrixView rows);
  Result<void> write_rows(Bytes rows) {
    return rows_begun_ ? file_.write(rows) : rows_.write(rows);
  }
  Result<void> check_counts() const;
  Result<void> check_row_count(std::uint64_t count) const;
  Result<void> write_header();
  Result<void> write_vocabulary();
  Result<void> begin_array(std::uint64_t count);
  Result<void> write_norms();

  FinalfusionOptions options_;
  std::string metadata_;
  OutputFile file_;
  TextCounts seen_;
  SpillFile words_;  // each behind its length, as in the file
  SpillFile rows_;
  std::optional<std::uint64_t> expected_rows_;  // where all ids were given at the start
  bool rows_begun_ = false;                     // in file_
  std::uint64_t num_words_ = 0;
  std::vector<float> norms_;
  std::vector<float> normalized_;  // [dim]
  std::optional<QuantizationLoss> loss_;
};

}  // namespace embd::finalfusion
