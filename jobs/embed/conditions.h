#pragma once

#include <map>
#include <string>
#include <vector>

#include "embd/embed_file.h"

// The conditions of a job: everything that determines the bytes of its outputs. Two runs of a job
// are compared by them.
namespace embd {

struct EmbedPlan;

/// The conditions by name, each with its value as JSON, such as "id_field" with "\"key\"".
using Conditions = std::map<std::string, std::string>;

/// Returns the names of conditions whose values differ, or that only one of the two has, in
/// ascending order.
std::vector<std::string> differing_names(const Conditions& a, const Conditions& b);

/// Returns the conditions that determine the rows of a job, their ids and what goes with them, and
/// that are not in the recipe. All parts of a job have the same. Fails with the errors of reading
/// OutputOptions::int8_ranges.
Result<Conditions> row_conditions(const EmbedPlan& plan);

/// Returns everything that determines the bytes of the outputs, except for the texts themselves:
/// `recipe`, row_conditions(), and what belongs to this run alone, such as the names of its
/// outputs. Options that change no byte (threads, batch sizes, progress reports) are left out.
/// Fails as row_conditions() does.
Result<Conditions> run_conditions(const EmbedPlan& plan, const Recipe& recipe);

}  // namespace embd
