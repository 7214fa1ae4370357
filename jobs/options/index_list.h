#pragma once

#include "embd/index_options.h"
#include "jobs/options/option.h"
#include "jobs/options/shared_options.h"

namespace embd {

template <>
inline constexpr auto option_list<IndexOptions> = std::tuple{
    // The extension of the output decides the kind.
    OptionOf{.member = &IndexOptions::kind,
             .name = "kind",
             .option = "",
             .words = index_kind_names,
             .help = "The kind of graph: hnsw is saved as a .usearch file, vamana as an SVS "
                     "directory (hnsw)"},
    OptionOf{
        .member = &IndexOptions::metric,
        .name = "metric",
        .words = metric_names,
        .value = "METRIC",
        .formats = {"usearch", "hnsw", "vamana", "none"},
        .group = OptionGroup::index,
        .help =
            "Index: the metric, which measures how far two rows are apart (cos; hamming for bits)"},
    OptionOf{.member = &IndexOptions::scalar,
             .name = "scalar",
             .words = index_scalar_names,
             .value = "TYPE",
             .formats = {"usearch", "hnsw", "vamana"},
             .group = OptionGroup::index,
             .help = "Index: the type of the stored values (f32)"},
    OptionOf{.member = &IndexOptions::connectivity,
             .name = "connectivity",
             .least = 1,
             .formats = {"usearch", "hnsw"},
             .group = OptionGroup::index,
             .help = "USearch: number of links of each row in the graph (16)"},
    OptionOf{.member = &IndexOptions::expansion_add,
             .name = "expansion_add",
             .least = 1,
             .formats = {"usearch", "hnsw"},
             .group = OptionGroup::index,
             .help = "USearch: number of candidates kept while a row's links are chosen (128)"},
    OptionOf{.member = &IndexOptions::builder,
             .name = "builder",
             .words = builder_names,
             .formats = {"usearch", "hnsw"},
             .group = OptionGroup::index,
             .help = "USearch: build on all threads, or one row after the other by USearch's own "
                     "rules (parallel)"},
    OptionOf{.member = &IndexOptions::degree,
             .name = "degree",
             .least = 1,
             .formats = {"vamana"},
             .group = OptionGroup::index,
             .help = "Vamana: number of links of each row in the graph (64)"},
    OptionOf{.member = &IndexOptions::window,
             .name = "window",
             .least = 1,
             .formats = {"vamana"},
             .group = OptionGroup::index,
             .help = "Vamana: number of candidates kept while a row's links are chosen (128)"},
    OptionOf{.member = &IndexOptions::alpha,
             .name = "alpha",
             .formats = {"vamana"},
             .group = OptionGroup::index,
             .help = "Vamana: how far links may reach (1.2; ip and cos 0.93)"},
    OptionOf{.member = &IndexOptions::multi,
             .name = "multi",
             .formats = {"hnsw"},
             .group = OptionGroup::index,
             .help = "Several rows may share an id"},
    threads_option(&IndexOptions::threads)};
static_assert(is_whole_list<IndexOptions>);

}  // namespace embd
