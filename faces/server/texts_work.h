#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "embd/model.h"
#include "faces/server/exchange.h"
#include "faces/server/models.h"

namespace embd::server {

class Service;

/// The vectors of all texts of a request.
struct Embedded {
  MatrixView rows;  ///< [texts, dim]
  /// The output of TextsRequest.write_row for all rows, in order. A part may hold several rows with
  /// commas between them.
  std::vector<std::string> parts;
  std::uint64_t tokens = 0;              ///< the number of tokens of all texts, after cutting
  std::vector<std::uint32_t> truncated;  ///< the numbers of the texts that were cut
};

/// The texts that a route needs vectors of, and the functions that make its answer of the vectors.
struct TextsRequest {
  const ServedModel* model = nullptr;  ///< null if `vectors` are given instead of texts
  std::vector<std::string> texts = {};
  std::vector<std::vector<std::int32_t>> ids = {};  ///< token ids of texts, instead of `texts`
  Matrix vectors = {};  ///< vectors, instead of `texts`; only write_row is called for them
  EncodeOptions options = {};
  bool truncate = true;  ///< if false, a text that is too long fails the request
  /// If true, the answer has the vectors of the tokens of each text, and write_row is not called.
  bool each_token = false;
  /// Appends the part of the answer for a row to `out`. It may be called for several rows at once,
  /// on different threads. It may be empty.
  std::function<Result<void>(std::size_t row, std::span<const float> vector, std::string& out)>
      write_row = {};
  std::size_t row_bytes = 0;     ///< the largest size of a row's part of the answer
  std::uint64_t row_tokens = 0;  ///< the cost of write_row, in tokens of the model
  /// Returns the answer. It is called when all vectors are there.
  std::function<Response(Embedded&&)> finish = {};
  /// Used instead of `finish` if the answer needs further work, which this function starts.
  std::function<Answerable<void>(Embedded&&)> go_on = {};
};

/// Tokenizes the texts, takes vectors from the cache, has the workers compute the others, and
/// answers `call`. Fails at once if the texts are refused or the queue is full.
Answerable<void> embed_texts(Service& service, const Call& call, TextsRequest request);

}  // namespace embd::server
