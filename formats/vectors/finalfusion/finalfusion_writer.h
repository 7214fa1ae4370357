#pragma once

#include "base/output_file.h"
#include "base/temporary_files.h"
#include "embd/vectors.h"
#include "formats/vectors/finalfusion/finalfusion_layout.h"
#include "formats/vectors/finalfusion/words.h"

namespace embd::finalfusion {

/// Writes a finalfusion file. Its bytes are those that the reference libraries write for the same
/// content.
///
/// In the file, the words stand before the rows. If all words are known at the start
/// (WriteOptions::ids), rows are written directly to their place. Otherwise, words and rows wait in
/// temporary files until finish(). Rows that are to be quantized always wait. Memory depends
/// neither on the dimension nor on the length of words: 21 to 43 bytes per row, 4 more with norms,
/// and 4 more with a quantizer. A quantizer learns from at most 32,768 rows. Like the reference, it
/// stores the length of every row beside its codes.
class Writer final : public VectorWriter {
 public:
  /// Begins a file. Fails with invalid_argument or unsupported if options do not fit each other,
  /// with bad_toml for bad metadata, and with the errors of creating a file.
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

  /// Appends rows. Ids are the words; numbers become text, and without ids the words are the row
  /// numbers from 0. Rows after `subwords.num_words` are rows of subwords, whose ids are ignored.
  /// If create() was given ids, the ids here are ignored. Fails with duplicate if a word comes
  /// twice; the message has the row. Fails with the errors of writing.
  Result<void> append_rows(MatrixView rows, const Ids& ids) override;
  Result<void> prepare_file() override;
  Result<void> finish_file() override;

  std::uint64_t max_words() const;
  /// Returns which values rows may have. Centroids are means of values, and scaling to length 1
  /// needs the length, so both need lengths that stay finite in float32.
  static KeptValues kept_with(const FinalfusionOptions& options) {
    const bool as_given =
        options.quantizer == FinalfusionOptions::Quantizer::none && !options.normalize;
    return as_given ? KeptValues::any : KeptValues::codes;
  }
  bool is_quantized() const { return options_.quantizer != FinalfusionOptions::Quantizer::none; }
  bool has_norms() const { return options_.normalize || !options_.norms.empty(); }
  /// Takes the words of all rows to come and writes everything that stands before the rows.
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
  SpillFile words_;  // Each word after its length, as in the file.
  SpillFile rows_;
  std::optional<std::uint64_t> expected_rows_;  // Set if all ids were given at the start.
  bool rows_begun_ = false;                     // True if rows are already written to file_.
  std::uint64_t num_words_ = 0;
  std::vector<float> norms_;
  std::vector<float> normalized_;  // [dim]
  std::optional<QuantizationLoss> loss_;
};

}  // namespace embd::finalfusion
