#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "embd/model.h"
#include "server/exchange.h"
#include "server/models.h"

namespace embd::server {

class Service;

/// The vectors of a request's texts, when all are there.
struct Embedded {
  MatrixView rows;  ///< [texts, dim]
  /// The output of write_row, in the order of the texts: several rows a part, commas between them.
  std::vector<std::string> parts;
  std::uint64_t tokens = 0;              ///< of all texts, after cuts
  std::vector<std::uint32_t> truncated;  ///< places of texts that were cut
};

/// The texts that a route wants vectors of, and how it answers with them.
struct TextsRequest {
  const ServedModel* model = nullptr;  ///< null: of `vectors`
  std::vector<std::string> texts = {};
  std::vector<std::vector<std::int32_t>> ids = {};  ///< of texts, instead of these
  Matrix vectors = {};  ///< instead of texts: write_row is what is asked for
  EncodeOptions options = {};
  bool truncate = true;  ///< else a text that is too long fails the request
  /// The answer is a list of each text's tokens' vectors, and write_row is not asked.
  bool each_token = false;
  /// Appends what the answer says of a row; for several rows at once, on any thread. May be empty.
  std::function<Result<void>(std::size_t row, std::span<const float> vector, std::string& out)>
      write_row = {};
  std::size_t row_bytes = 0;     ///< of the answer, for a row, at most
  std::uint64_t row_tokens = 0;  ///< what write_row costs, in tokens of the model
  std::function<Response(Embedded&&)> finish = {};
  /// Instead of `finish`, where the answer needs more work: goes on with the call.
  std::function<Answerable<void>(Embedded&&)> go_on = {};
};

/// Tokenizes, looks up what is cached, and has the workers compute the rest; the answer goes to
/// `call`. Fails at once where the texts are refused or the queue is full.
Answerable<void> embed_texts(Service& service, const Call& call, TextsRequest request);

}  // namespace embd::server
