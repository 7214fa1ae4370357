#pragma once

#include <map>
#include <string>
#include <vector>

#include "embd/embed_file.h"

// Conditions of a job: everything that decides the bytes of its outputs, so that two runs of it can
// be compared.
namespace embd {

struct EmbedPlan;

/// Conditions by name, each with its value as JSON: "id_field" → "\"key\"".
using Conditions = std::map<std::string, std::string>;

/// The names of conditions whose values differ, or that only one of the two has. Rising.
std::vector<std::string> differing_names(const Conditions& a, const Conditions& b);

/// Returns the conditions that decide the rows of a job, their ids and what goes with them, and
/// stand in no recipe. The parts of one job have all of them in common. Error: those of reading
/// OutputOptions.int8_ranges.
Result<Conditions> row_conditions(const EmbedPlan& plan);

/// All that decides the bytes of the outputs but the texts themselves: `recipe`, row_conditions()
/// and what belongs to this run alone, such as the names of its outputs. Options that change no
/// byte (threads, blocks of tokens, the report of progress) are left out. Error: that of
/// row_conditions().
Result<Conditions> run_conditions(const EmbedPlan& plan, const Recipe& recipe);

}  // namespace embd
