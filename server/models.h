#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/model.h"
#include "embd/reranker.h"
#include "server/failure.h"

namespace embd::server {

/// A model of embeddings that is served.
struct ServedModel {
  Model model;
  std::string name;  ///< requests may ask for it so, and answers name it
  double weight;     ///< the work of a token of it, in tokens of the first model

  /// The work of some tokens, in tokens of the first model.
  std::uint64_t cost(std::uint64_t tokens) const noexcept;
};

/// The models that a server has, and which of them a request means. Filled by one thread; then any
/// number of threads may call any const member at once. A ServedModel stays where it is when this
/// is moved.
class Models {
 public:
  /// Adds a model of embeddings, behind those that are there. `name`: requests ask for it so
  /// instead of by its own name; empty: by its own. Error: invalid_argument for a name that another
  /// has.
  Result<void> add(Model model, std::string name = {});
  void set_reranker(Reranker reranker);
  /// Gives the only model, or the reranker where that is alone, further names. Error:
  /// invalid_argument where there are several.
  Result<void> add_names(const std::vector<std::string>& names);

  bool empty() const noexcept { return models_.empty(); }
  /// The model that is meant where a request names none. Only where there is one.
  const ServedModel& first() const noexcept { return *models_.front(); }
  /// The models of embeddings, in the order in which they were added.
  std::span<const std::unique_ptr<const ServedModel>> all() const noexcept { return models_; }
  /// Null where there is none.
  const Reranker* reranker() const noexcept { return reranker_ ? &*reranker_ : nullptr; }
  /// The work of some tokens of the reranker, in tokens of the first model.
  std::uint64_t reranker_cost(std::uint64_t tokens) const noexcept;

  /// A name by which requests may ask for a model.
  struct Name {
    std::string name;
    const ServedModel* model;  ///< null: the reranker
  };
  /// All names. The first is the first model's, or the reranker's where that is alone.
  std::vector<Name> names() const;
  /// The model that a request for embeddings means, which may name none; as Ollama's clients do it,
  /// too, with ":latest" behind the name. A single model that was given no name is meant by any.
  /// Fails for a name that none has.
  Answerable<const ServedModel*> find(const std::optional<std::string>& name) const;
  /// Whether a request may name the reranker so.
  Answerable<void> check_reranker(const std::optional<std::string>& name) const;
  /// Returns the entry of names() that a name means, or, where a single model is meant by any name,
  /// that model under this name.
  Answerable<Name> named(const std::string& name) const;

 private:
  /// True where requests may name a model as they like.
  bool takes_any_name() const noexcept { return !has_names_ && models_.size() <= 1; }
  std::unexpected<Failure> unknown(std::string_view name) const;

  std::vector<std::unique_ptr<const ServedModel>> models_;
  std::optional<Reranker> reranker_;
  std::vector<std::string> further_names_;
  bool has_names_ = false;  ///< whoever runs the server has given names
};

}  // namespace embd::server
