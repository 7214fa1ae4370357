#pragma once

#include <string_view>
#include <vector>

namespace embd::cli {

/// What an option of the command line is about, in the one table of them: the help is grouped by
/// it, the checks below follow it.
struct OptionScope {
  std::string_view name;                  ///< without the dashes
  std::string_view group;                 ///< of the help
  std::vector<std::string_view> formats;  ///< that have a use for it; none: all
  std::string_view needs;                 ///< another option; or empty
};
/// The one table. Indexes are formats of their own in it: "hnsw", "vamana", and "none".
const std::vector<OptionScope>& scope_table();

/// Nothing is known of an option that is not in the table but that it is general.
const OptionScope& scope_of(std::string_view option);

}  // namespace embd::cli
