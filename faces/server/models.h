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
#include "faces/server/failure.h"

namespace embd::server {

/// A sentence embedding model that is served.
struct ServedModel {
  Model model;
  std::string name;  ///< the name of the model in requests and answers
  double weight;     ///< the work for one token, relative to a token of the first model

  /// Returns the work for `tokens` tokens of this model, measured in tokens of the first model. So
  /// the scheduler can compare works of different models.
  std::uint64_t cost(std::uint64_t tokens) const noexcept;
};

/// The models of a server, and the names by which requests select them. One thread adds the models;
/// afterwards any number of threads may call const members at once. Pointers to a ServedModel stay
/// valid when the object is moved.
class Models {
 public:
  /// Adds a sentence embedding model after those that were added before. `name` is its name in
  /// requests; if it is empty, the model's own name is used. Fails with invalid_argument if another
  /// model has this name.
  Result<void> add(Model model, std::string name = {});
  /// Sets the reranker of the server.
  void set_reranker(Reranker reranker);
  /// Adds further names for the only model, or for the reranker if there is no other model. Fails
  /// with invalid_argument if there are several models.
  Result<void> add_names(const std::vector<std::string>& names);

  bool empty() const noexcept { return models_.empty(); }
  /// Returns the model for requests that name none: the one that was added first. There must be a
  /// model.
  const ServedModel& first() const noexcept { return *models_.front(); }
  /// The sentence embedding models in the order in which they were added.
  std::span<const std::unique_ptr<const ServedModel>> all() const noexcept { return models_; }
  /// Returns the reranker; null if there is none.
  const Reranker* reranker() const noexcept { return reranker_ ? &*reranker_ : nullptr; }
  /// Returns the work for `tokens` tokens of the reranker, measured in tokens of the first model.
  std::uint64_t reranker_cost(std::uint64_t tokens) const noexcept;

  /// A name by which requests may ask for a model.
  struct Name {
    std::string name;
    const ServedModel* model;  ///< the model of this name; null: the reranker
  };
  /// Returns all names. The first is the name of the first model, or of the reranker if there is no
  /// other model.
  std::vector<Name> names() const;
  /// Returns the model for a request for embeddings that gives this name, or no name. A name may
  /// have ":latest" appended, as Ollama's clients send it. If there is a single model and the user
  /// gave it no name, any name selects it. Fails with unknown_model if no model has the name.
  Answerable<const ServedModel*> find(const std::optional<std::string>& name) const;
  /// Checks that a request to the reranker gives one of its names, or no name. Fails with
  /// unknown_model otherwise.
  Answerable<void> check_reranker(const std::optional<std::string>& name) const;
  /// Returns the entry of names() for a name. If any name selects the single model, the entry has
  /// this name. Fails with unknown_model if no model has the name.
  Answerable<Name> named(const std::string& name) const;

 private:
  /// Returns true if any name selects the single model.
  bool takes_any_name() const noexcept { return !has_names_ && models_.size() <= 1; }
  std::unexpected<Failure> unknown(std::string_view name) const;

  std::vector<std::unique_ptr<const ServedModel>> models_;
  std::optional<Reranker> reranker_;
  std::vector<std::string> further_names_;
  bool has_names_ = false;  ///< true if the user who started the server gave names
};

}  // namespace embd::server
