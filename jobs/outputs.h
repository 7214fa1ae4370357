#pragma once

#include <memory>
#include <string>
#include <vector>

#include "embd/vectors.h"
#include "formats/finalfusion/unique_words.h"
#include "formats/format.h"

namespace embd {

/// How vectors are written.
struct OutputOptions {
  std::string format;
  std::string output_type;  ///< empty: not said
  bool are_codes = false;   ///< the rows are codes of that type already
  std::string int8_ranges;  ///< a file of two rows; empty: those of the vectors
  WriteOptions write;
};

/// The device leads to whatever the program was started with, as "-" does.
bool is_standard_output(const std::string& path);

/// What quantizing lost in one output.
struct OutputLoss {
  std::string path;
  QuantizationLoss loss;
};

/// Everything that one pass writes to. Each output appears whole at finish(), or not at all.
class Outputs {
 public:
  /// `paths`: "-" is standard output, JSON Lines unless the options name a format, never binary on
  /// a terminal.
  static Result<Outputs> create(const std::vector<std::string>& paths, std::uint64_t dim,
                                const OutputOptions& options);

  /// What create() would write to `path`.
  static Result<const Format*> format_of(const std::string& path, const OutputOptions& options);

  /// True if an output needs an id for every row, so that texts() stand in for missing ones.
  bool needs_ids() const noexcept;
  /// `ids`: of the rows, or none; `texts`: one a row if needs_ids() and there are no ids, otherwise
  /// unused.
  Result<void> append(MatrixView rows, const Ids& ids, const std::vector<std::string>& texts);
  /// As in VectorWriter, for every output.
  Result<void> begin_section(std::string_view metadata);
  Result<void> set_columns(std::span<const Bytes> columns);
  Result<void> set_ranges(MatrixView ranges);
  Result<void> finish();
  /// What quantizing lost, of the outputs that were quantized; known after finish().
  std::vector<OutputLoss> losses() const;
  /// Rows whose text was an id already, so that theirs got a number.
  std::uint64_t num_repeated() const noexcept { return unique_ids_.num_renamed(); }

 private:
  struct Output {
    std::string path;
    std::unique_ptr<VectorWriter> writer;
    bool needs_ids = false;
    std::filesystem::path spool;  ///< a file to copy to standard output; empty: none
  };
  static Result<Output> create_one(const std::string& path, std::uint64_t dim,
                                   const OutputOptions& options);
  static Result<Output> create_plain(const std::string& path, std::uint64_t dim,
                                     const Format& format, const WriteOptions& write);

  std::vector<Output> outputs_;
  finalfusion::UniqueWords unique_ids_;

 public:
  Outputs() = default;
  Outputs(Outputs&&) = default;
  Outputs& operator=(Outputs&&) = default;
  ~Outputs();
};

}  // namespace embd
