#pragma once

#include "embd/rerank.h"
#include "jobs/options/option.h"
#include "jobs/options/output_list.h"
#include "jobs/options/score_list.h"
#include "jobs/options/shared_options.h"

namespace embd {

template <>
inline constexpr auto option_list<ScorePairsOptions> = std::tuple{
    OptionOf{&ScorePairsOptions::score},
    OptionOf{.member = &ScorePairsOptions::query_field,
             .name = "query_field",
             .value = "NAME",
             .group = OptionGroup::input,
             .help = "Pairs: field that holds the first text of each pair (query)"},
    OptionOf{&ScorePairsOptions::output},
    OptionOf{.member = &ScorePairsOptions::part,
             .name = "part",
             .value = "I/N",
             .group = OptionGroup::running,
             .help = "Score part I, from 0, of N parts of the pairs, with a manifest OUT.part.json "
                     "beside each output; embd join joins the parts",
             .decides = Decides::run},
    OptionOf{.member = &ScorePairsOptions::id_start,
             .name = "id_start",
             .group = OptionGroup::input,
             .help = "Number the pairs from N"},
    row_report_option(
        &ScorePairsOptions::row_report,
        "A file for the number of tokens of each pair, and whether the pair was truncated"),
    resume_option(&ScorePairsOptions::resume),
    restart_option(&ScorePairsOptions::restart),
    InternalOf{&ScorePairsOptions::progress}};
static_assert(is_whole_list<ScorePairsOptions>);

}  // namespace embd
