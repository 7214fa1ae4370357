#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "embd/vectors.h"

namespace embd::cli {

/// How vectors are written: the options that embed and convert share.
struct OutputOptions {
  std::string format;
  std::string output_type;  ///< empty: not said
  WriteOptions write;
};

/// `format_option`: "--output-format" or "--to".
void add_output_options(CLI::App& verb, OutputOptions& options, const std::string& format_option);

/// Everything that one pass writes to. Each output appears whole at finish(), or not at all.
class Outputs {
 public:
  /// `paths`: "-" is standard output, JSON Lines unless the options name a format, never binary on
  /// a terminal.
  static Result<Outputs> create(const std::vector<std::string>& paths, std::uint64_t dim,
                                const OutputOptions& options);

  /// True if an output needs an id for every row, so that texts() stand in for missing ones.
  bool needs_ids() const noexcept;
  /// `ids`: of the rows, or none; `texts`: one a row if needs_ids() and there are no ids, otherwise
  /// unused.
  Result<void> append(MatrixView rows, const Ids& ids, const std::vector<std::string>& texts);
  Result<void> finish();
  /// Rows whose text was an id already, so that theirs got a number.
  std::uint64_t num_repeated() const noexcept { return num_repeated_; }

 private:
  struct Output {
    std::unique_ptr<VectorWriter> writer;
    bool needs_ids = false;
    std::filesystem::path spool;  ///< a file to copy to standard output; empty: none
  };
  static Result<Output> create_one(const std::string& path, std::uint64_t dim,
                                   const OutputOptions& options);
  std::string unique_id(const std::string& text);

  std::vector<Output> outputs_;
  std::unordered_set<std::string> taken_;
  std::uint64_t num_repeated_ = 0;

 public:
  Outputs() = default;
  Outputs(Outputs&&) = default;
  Outputs& operator=(Outputs&&) = default;
  ~Outputs();
};

}  // namespace embd::cli
