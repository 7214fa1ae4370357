#pragma once

#include "embd/reranker.h"
#include "jobs/options/option.h"
#include "jobs/options/shared_options.h"

namespace embd {

template <>
inline constexpr auto option_list<ScoreOptions> = std::tuple{
    OptionOf{.member = &ScoreOptions::max_length,
             .name = "max_length",
             .group = OptionGroup::model,
             .help = "Tokens a pair is cut to, special ones counted (the model's)"},
    OptionOf{.member = &ScoreOptions::truncation_side,
             .name = "truncate_side",
             .words = truncation_side_names,
             .group = OptionGroup::model,
             .help = "Which end of a text is cut off (the model's)"},
    OptionOf{.member = &ScoreOptions::prompt,
             .name = "prompt",
             .value = "TEXT",
             .group = OptionGroup::model,
             .help = "Put before every query (the model's)"},
    OptionOf{.member = &ScoreOptions::prompt_name,
             .name = "prompt_name",
             .value = "NAME",
             .group = OptionGroup::model,
             .help = "The prompt by its name in the model's configuration"},
    OptionOf{.member = &ScoreOptions::activation,
             .name = "activation",
             .words = score_activation_names,
             .group = OptionGroup::model,
             .help = "Makes a score of a logit; identity: the logit itself (the model's)"},
    refuse_truncated_option(&ScoreOptions::refuse_truncated,
                            "A pair that would be cut is an error"),
    threads_option(&ScoreOptions::threads),
    batch_tokens_option(&ScoreOptions::batch_tokens),
    dedup_option(&ScoreOptions::dedup,
                 "Compute pairs with the same tokens once; changes no byte (on)"),
    InternalOf{&ScoreOptions::strict_utf8}};
static_assert(is_whole_list<ScoreOptions>);

}  // namespace embd
