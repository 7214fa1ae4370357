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
             .help = "Cosine from which on two rows are near-duplicates (0.9)"},
    OptionOf{.member = &DedupeOptions::keep,
             .name = "keep",
             .words = keep_names,
             .group = OptionGroup::analysis,
             .help = "The row of a group that is kept: the first, or that of the "
                     "longest text (first)"},
    OptionOf{.member = &DedupeOptions::exact_rows,
             .name = "exact_rows",
             .group = OptionGroup::analysis,
             .help = "Compare all pairs of up to N rows; of more, an index finds nearly "
                     "all, and a sample tells how many (1,000,000)"},
    threads_option(&DedupeOptions::threads, "Busy threads (what affinity and the cgroup allow)")};
static_assert(is_whole_list<DedupeOptions>);

template <>
inline constexpr auto option_list<ClusterOptions> = std::tuple{
    OptionOf{.member = &ClusterOptions::method,
             .name = "method",
             .option = "density",
             .keyword = "density",
             .words = cluster_method_names,
             .group = OptionGroup::analysis,
             .help = "HDBSCAN instead of k-means: groups where rows lie densely, of any "
                     "number; rows elsewhere are in none (-1)"},
    // On the command line "auto" is 0.
    OptionOf{.member = &ClusterOptions::k,
             .name = "k",
             .letter = "k",
             .value = "N|auto",
             .group = OptionGroup::analysis,
             .help = "k-means: groups; auto: as many as part best (auto)"},
    OptionOf{.member = &ClusterOptions::seed,
             .name = "seed",
             .value = "S",
             .group = OptionGroup::analysis,
             .help = "k-means: which rows are drawn as first centers (0)"},
    OptionOf{.member = &ClusterOptions::min_size,
             .name = "min_size",
             .least = 2,
             .greatest = 0xffffffff,
             .group = OptionGroup::analysis,
             .help = "density: rows that a group has at least (10)"},
    OptionOf{.member = &ClusterOptions::min_samples,
             .name = "min_samples",
             .least = 1,
             .greatest = 0xffffffff,
             .group = OptionGroup::analysis,
             .help = "density: the neighbour whose distance says how densely a row "
                     "lies, counted with the row (--min-size)"},
    OptionOf{.member = &ClusterOptions::exact_rows,
             .name = "exact_rows",
             .group = OptionGroup::analysis,
             .help = "density: compare all pairs of up to N rows; of more, an index "
                     "finds the neighbours (50,000)"},
    threads_option(&ClusterOptions::threads, "Busy threads (what affinity and the cgroup allow)")};
static_assert(is_whole_list<ClusterOptions>);

}  // namespace embd
