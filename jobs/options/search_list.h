#pragma once

#include "embd/searcher.h"
#include "jobs/options/option.h"
#include "jobs/options/read_list.h"
#include "jobs/options/shared_options.h"

namespace embd {

template <>
inline constexpr auto option_list<SearchOptions> = std::tuple{
    OptionOf{.member = &SearchOptions::expansion,
             .name = "expansion",
             .least = 1,
             .formats = {"hnsw"},
             .group = OptionGroup::search,
             .help = "HNSW: number of candidates that a search keeps (64)"},
    OptionOf{.member = &SearchOptions::window,
             .name = "window",
             .least = 1,
             .formats = {"vamana"},
             .group = OptionGroup::search,
             .help = "Vamana: number of candidates that a search keeps (64)"},
    OptionOf{.member = &SearchOptions::capacity,
             .name = "capacity",
             .least = 1,
             .formats = {"vamana"},
             .group = OptionGroup::search,
             .help = "Vamana: number of candidates from which the hits are chosen (window)"},
    OptionOf{.member = &SearchOptions::exact,
             .name = "exact",
             .group = OptionGroup::search,
             .help = "Compare each query with every row, without the index"},
    InternalOf{&SearchOptions::filter},
    threads_option(&SearchOptions::threads)};
static_assert(is_whole_list<SearchOptions>);

template <>
inline constexpr auto option_list<SearcherOptions> =
    std::tuple{OptionOf{&SearcherOptions::read},
               OptionOf{.member = &SearcherOptions::metric,
                        .name = "metric",
                        .words = metric_names,
                        .value = "METRIC",
                        .formats = {"usearch", "hnsw", "vamana", "none"},
                        .group = OptionGroup::index,
                        .help = "The metric of a vector set, or of an index that does not state "
                                "its own: cos, ip, l2, … (cos)"},
               OptionOf{.member = &SearcherOptions::in_memory,
                        .name = "in_memory",
                        .option = "",
                        .group = OptionGroup::search,
                        .help = "Read an index into memory instead of mapping it",
                        .decides = Decides::nothing},
               InternalOf{&SearcherOptions::filters}, force_option(&SearcherOptions::force)};
static_assert(is_whole_list<SearcherOptions>);

template <>
inline constexpr auto option_list<QueryOptions> = std::tuple{
    OptionOf{.member = &QueryOptions::prompt,
             .name = "prompt",
             .value = "TEXT",
             .group = OptionGroup::model,
             .help = "String that is put before every query (the model's prompt named query)"},
    OptionOf{.member = &QueryOptions::prompt_name,
             .name = "prompt_name",
             .value = "NAME",
             .group = OptionGroup::model,
             .help = "Name of a prompt in the model's configuration (query)"},
    threads_option(&QueryOptions::threads), force_option(&QueryOptions::force)};
static_assert(is_whole_list<QueryOptions>);

}  // namespace embd
