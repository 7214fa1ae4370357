#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "embd/texts.h"

namespace embd::cli {

/// Returns all texts of a file, such as a file of queries. Returns none if `path` is empty. Fails
/// with the errors of reading the file.
Result<std::vector<std::string>> read_texts(const std::string& path, const InputOptions& options,
                                            const std::stop_token& stop);

/// The queries of a command line.
struct QueryTexts {
  const std::vector<std::string>& texts;  ///< the values of -q; "-": the lines of standard input
  const std::string& file;                ///< the value of --query-file; empty: none
  InputOptions input = {};                ///< for reading `file`
  bool is_standard_input_taken = false;   ///< another option reads standard input
};

/// Returns all queries, those of -q first. Fails with invalid_argument if standard input is named
/// twice, and with the errors of reading.
Result<std::vector<std::string>> read_queries(const QueryTexts& queries,
                                              const std::stop_token& stop);

}  // namespace embd::cli
