#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/index.h"
#include "embd/recipe.h"
#include "embd/terms.h"
#include "faces/js/native/model.h"
#include "index/slot_rows.h"

namespace embd::js {

/// The rows of an index, in the order of the rows of its term index.
struct IndexRows {
  explicit IndexRows(const Index& index) : ids(index.ids()), by_slot(index.slots()) {}

  std::vector<std::uint64_t> ids;  // of each row
  SlotRows by_slot;
};

struct OpenIndex {
  std::string name;
  Index index;
  std::optional<Recipe> recipe;
  std::optional<IndexRows> rows = {};  // set by the first search that needs them
};

struct OpenTerms {
  std::string name;
  TermIndex index;
};

/// Returns the indexes that are open.
Handles<OpenIndex>& indexes();

/// Returns the term indexes that are open.
Handles<OpenTerms>& term_indexes();

/// Returns the terms of a text, as an open index counts them. The number 0 stands for no model.
/// Fails with the errors of TermIndex::query(), and for a model that is not open.
Result<std::vector<std::string>> query_terms(const TermIndex& index, std::string_view text,
                                             std::int32_t model_handle);

/// The options of a search, and the ids that may be found, if they are restricted.
struct Search {
  SearchOptions options;
  std::optional<std::vector<std::uint64_t>> ids = {};
};

/// Reads the options of a search from JSON. Fails with invalid_argument.
Result<Search> read_search(const char* text, std::uint32_t size);

}  // namespace embd::js
