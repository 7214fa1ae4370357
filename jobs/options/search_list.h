#pragma once

#include "embd/searcher.h"
#include "jobs/options/option.h"
#include "jobs/options/read_list.h"
#include "jobs/options/shared_options.h"

namespace embd {

template <>
inline constexpr auto option_list<SearchOptions> =
    std::tuple{OptionOf{.member = &SearchOptions::expansion,
                        .name = "expansion",
                        .least = 1,
                        .formats = {"hnsw"},
                        .group = OptionGroup::search,
                        .help = "HNSW: candidates kept on the way (64)"},
               OptionOf{.member = &SearchOptions::window,
                        .name = "window",
                        .least = 1,
                        .formats = {"vamana"},
                        .group = OptionGroup::search,
                        .help = "Vamana: candidates kept on the way (64)"},
               OptionOf{.member = &SearchOptions::capacity,
                        .name = "capacity",
                        .least = 1,
                        .formats = {"vamana"},
                        .group = OptionGroup::search,
                        .help = "Vamana: of them, kept for the choice (window)"},
               OptionOf{.member = &SearchOptions::exact,
                        .name = "exact",
                        .group = OptionGroup::search,
                        .help = "Compare with every row"},
               InternalOf{&SearchOptions::filter},
               threads_option(&SearchOptions::threads)};
static_assert(is_whole_list<SearchOptions>);

template <>
inline constexpr auto option_list<SearcherOptions> = std::tuple{
    OptionOf{&SearcherOptions::read},
    OptionOf{.member = &SearcherOptions::metric,
             .name = "metric",
             .words = metric_names,
             .value = "METRIC",
             .formats = {"usearch", "hnsw", "vamana", "none"},
             .group = OptionGroup::index,
             .help = "Of a vector set, and of an index that does not say: cos, ip, l2, … (cos)"},
    OptionOf{.member = &SearcherOptions::in_memory,
             .name = "in_memory",
             .option = "",
             .group = OptionGroup::search,
             .help = "Read an index into memory instead of mapping it",
             .decides = Decides::nothing},
    InternalOf{&SearcherOptions::filters}, force_option(&SearcherOptions::force)};
static_assert(is_whole_list<SearcherOptions>);

template <>
inline constexpr auto option_list<QueryOptions> =
    std::tuple{OptionOf{.member = &QueryOptions::prompt,
                        .name = "prompt",
                        .value = "TEXT",
                        .group = OptionGroup::model,
                        .help = "Put before every query (the model's, of the name query)"},
               OptionOf{.member = &QueryOptions::prompt_name,
                        .name = "prompt_name",
                        .value = "NAME",
                        .group = OptionGroup::model,
                        .help = "The prompt by its name in the model's configuration (query)"},
               threads_option(&QueryOptions::threads), force_option(&QueryOptions::force)};
static_assert(is_whole_list<QueryOptions>);

}  // namespace embd
