#include "jobs/joined_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/try.h"
#include "formats/vectors/ids.h"
#include "jobs/row_ids.h"

namespace embd {
namespace {

/// Clears fields of `common` in which the recipes differ, if they do not affect whether vectors can
/// be compared.
void keep_common(Recipe& common, const Recipe& other) {
  for (const auto field : {&Recipe::model_name, &Recipe::compute, &Recipe::instruction_set,
                           &Recipe::output_type, &Recipe::input_sha256, &Recipe::embd_version})
    if (common.*field != other.*field) (common.*field).clear();
}

bool same_texts_rule(const Recipe& a, const Recipe& b) {
  return a.prompt == b.prompt && a.windows == b.windows && a.stride == b.stride &&
         a.truncation_side == b.truncation_side;
}

bool are_row_numbers(const Ids& ids) {
  const auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids);
  if (numbers == nullptr) return false;
  for (std::size_t i = 0; i < numbers->size(); ++i)
    if ((*numbers)[i] != i) return false;
  return true;
}

/// Appends the ids of `num_more` rows to the ids of `num_rows` rows. Fails with missing if only
/// some rows have ids.
Result<void> append_ids(Ids& all, std::uint64_t num_rows, Ids more, std::uint64_t num_more) {
  if (num_more == 0) return {};
  if (num_rows == 0) {
    all = std::move(more);
    return {};
  }
  if (all.index() != more.index()) {
    if (std::holds_alternative<std::monostate>(all) || std::holds_alternative<std::monostate>(more))
      return fail(
          ErrorCode::missing,
          "some inputs have ids and others have none, expected ids in all inputs or in none");
    all = id_strings(all, num_rows);
    more = id_strings(more, num_more);
  }
  if (auto* numbers = std::get_if<std::vector<std::uint64_t>>(&all)) {
    const auto& others = std::get<std::vector<std::uint64_t>>(more);
    numbers->insert(numbers->end(), others.begin(), others.end());
  } else if (auto* strings = std::get_if<std::vector<std::string>>(&all)) {
    const auto& others = std::get<std::vector<std::string>>(more);
    strings->insert(strings->end(), others.begin(), others.end());
  }
  return {};
}

}  // namespace

Result<std::optional<Recipe>> common_recipe(const Readers& sets, bool force) {
  std::optional<Recipe> common;
  bool all_agree = true;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::optional<Recipe> recipe = EMBD_TRY(sets[i]->recipe());
    if (!recipe) {
      all_agree = false;
      continue;
    }
    if (!common) common = recipe;
    const auto differences = fatal_differences(*common, *recipe);
    if (!differences.empty() && !force) {
      return fail_in(sets[i].path, ErrorCode::recipe_mismatch,
                     "the recipe differs from the recipes of the earlier inputs in {}",
                     fmt::join(differences, ", "));
    }
    all_agree = all_agree && differences.empty() && same_texts_rule(*common, *recipe);
    keep_common(*common, *recipe);
  }
  return all_agree ? common : std::nullopt;
}

Result<Ids> joined_ids(const Readers& sets, bool keep_row_numbers) {
  std::vector<Ids> parts;
  bool none = true;
  for (const auto& set : sets) {
    parts.push_back(EMBD_TRY(set->ids()));
    const bool has_none =
        std::holds_alternative<std::monostate>(parts.back()) || set->info().num_rows == 0;
    none = none && (has_none || (!keep_row_numbers && are_row_numbers(parts.back())));
  }
  if (none) return Ids{};
  Ids all = std::move(parts[0]);
  std::uint64_t num_rows = sets[0]->info().num_rows;
  for (std::size_t i = 1; i < sets.size(); ++i) {
    const std::uint64_t num_more = sets[i]->info().num_rows;
    EMBD_TRY(append_ids(all, num_rows, std::move(parts[i]), num_more));
    num_rows += num_more;
  }
  return !keep_row_numbers && are_row_numbers(all) ? Ids{} : std::move(all);
}

Ids ids_of_part(const Ids& all, RowRange taken) {
  if (!count_ids(all)) return row_numbers(taken);
  return slice_ids(all, taken.first, taken.end - taken.first);
}

Result<std::optional<Digest>> recorded_digest(const VectorReader& vectors,
                                              const ReadOptions& read) {
  const bool is_whole =
      read.column.empty() && read.section.empty() && !read.all_rows && !read.unnormalize;
  if (!is_whole) return std::nullopt;
  const std::string json = EMBD_TRY(vectors.digest());
  if (json.empty()) return std::nullopt;
  return EMBD_TRY(Digest::from_json(json));
}

Result<std::optional<Digest>> joined_digest(const Readers& sets, const ReadOptions& read,
                                            const Ids& ids) {
  if (sets.size() > 1 && !count_ids(ids)) return std::nullopt;  // Rows get new numbers as ids.
  std::optional<Digest> sum;
  for (const OpenSet& set : sets) {
    if (sets.size() > 1 && EMBD_TRY(set->ids()).index() != ids.index()) return std::nullopt;
    const auto digest = EMBD_TRY(recorded_digest(*set, read));
    if (!digest) return std::nullopt;
    if (!sum) {
      sum = digest;
    } else if (!sum->add(*digest)) {
      return std::nullopt;  // The recipes differ.
    }
  }
  return sum;
}

bool keeps_ids(const Format& format, const Ids& ids) {
  return !format.needs_ids || std::holds_alternative<std::vector<std::string>>(ids);
}

}  // namespace embd
