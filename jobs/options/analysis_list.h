#pragma once

#include "embd/cluster.h"
#include "embd/dedupe.h"
#include "jobs/options/option.h"
#include "jobs/options/shared_options.h"

namespace embd {

template <>
inline constexpr auto option_list<DedupeOptions> = std::tuple{
    OptionOf{.member = &DedupeOptions::min_similarity,
             .name = "min_similarity",
             .group = OptionGroup::analysis,
             .help = "Least cosine similarity of two near-duplicates (0.9)"},
    OptionOf{.member = &DedupeOptions::keep,
             .name = "keep",
             .words = keep_names,
             .group = OptionGroup::analysis,
             .help = "The row of each group that is kept: the first, or the one with the longest "
                     "text (first)"},
    OptionOf{.member = &DedupeOptions::exact_rows,
             .name = "exact_rows",
             .group = OptionGroup::analysis,
             .help = "Compare all pairs of rows if there are at most N; otherwise an index finds "
                     "nearly all, and a sample shows how many (1,000,000)"},
    threads_option(&DedupeOptions::threads,
                   "Number of threads (as many as affinity and cgroup allow)")};
static_assert(is_whole_list<DedupeOptions>);

template <>
inline constexpr auto option_list<ClusterOptions> = std::tuple{
    OptionOf{.member = &ClusterOptions::method,
             .name = "method",
             .option = "density",
             .keyword = "density",
             .words = cluster_method_names,
             .group = OptionGroup::analysis,
             .help =
                 "HDBSCAN instead of k-means: it finds the regions where rows lie densely; each "
                 "is a group, and all other rows are in no group (-1)"},
    // On the command line "auto" is 0.
    OptionOf{
        .member = &ClusterOptions::k,
        .name = "k",
        .letter = "k",
        .value = "N|auto",
        .group = OptionGroup::analysis,
        .help = "k-means: number of groups; auto: the number that separates the rows best (auto)"},
    OptionOf{.member = &ClusterOptions::seed,
             .name = "seed",
             .value = "S",
             .group = OptionGroup::analysis,
             .help = "k-means: seed for the rows that are drawn as first centers (0)"},
    OptionOf{.member = &ClusterOptions::min_size,
             .name = "min_size",
             .least = 2,
             .greatest = 0xffffffff,
             .group = OptionGroup::analysis,
             .help = "density: least number of rows in a group (10)"},
    OptionOf{.member = &ClusterOptions::min_samples,
             .name = "min_samples",
             .least = 1,
             .greatest = 0xffffffff,
             .group = OptionGroup::analysis,
             .help = "density: a row lies densely if its N-th nearest row is near, where the row "
                     "itself is the first (--min-size)"},
    OptionOf{.member = &ClusterOptions::exact_rows,
             .name = "exact_rows",
             .group = OptionGroup::analysis,
             .help = "density: compare all pairs of rows if there are at most N; otherwise an "
                     "index finds the neighbours (50,000)"},
    threads_option(&ClusterOptions::threads,
                   "Number of threads (as many as affinity and cgroup allow)")};
static_assert(is_whole_list<ClusterOptions>);

}  // namespace embd
