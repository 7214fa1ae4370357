#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "embd/collect.h"
#include "embd/model.h"
#include "faces/cli/mcp/session.h"

namespace embd::cli::mcp {

/// The tools of a collection: `search` finds passages, `read` reads lines of its documents. If the
/// collection is brought up to date, the next call sees the new state. Not thread-safe.
class CollectionTools final : public Tools {
 public:
  /// Opens a collection, whose texts `model` embeds with `threads` threads. A stop request ends a
  /// search. Fails with the errors of search_collection(), and with recipe_mismatch for another
  /// model.
  static Result<CollectionTools> open(std::filesystem::path folder, Model model, int threads,
                                      std::stop_token stop);

  std::string instructions() const override;
  const Json& list() const override;
  Result<ToolAnswer> call(const std::string& name, const Json& arguments) override;

 private:
  CollectionTools(std::filesystem::path folder, Model model, int threads, std::stop_token stop,
                  SearchedCollection opened)
      : folder_(std::move(folder)),
        model_(std::move(model)),
        threads_(threads),
        stop_(std::move(stop)),
        opened_(std::move(opened)) {}

  /// Opens the collection again if it was brought up to date.
  Result<void> refresh();
  Result<ToolAnswer> search(const Json& arguments);
  Result<ToolAnswer> read(const Json& arguments) const;

  std::filesystem::path folder_;
  Model model_;
  int threads_;
  std::stop_token stop_;
  SearchedCollection opened_;
};

}  // namespace embd::cli::mcp
