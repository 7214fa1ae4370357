#pragma once

#include "embd/reranker.h"
#include "jobs/options/option.h"
#include "jobs/options/shared_options.h"

namespace embd {

template <>
inline constexpr auto option_list<ScoreOptions> = std::tuple{
    OptionOf{
        .member = &ScoreOptions::max_length,
        .name = "max_length",
        .group = OptionGroup::model,
        .help = "Number of tokens that a pair is cut to, special tokens included (the model's)"},
    OptionOf{.member = &ScoreOptions::truncation_side,
             .name = "truncate_side",
             .words = truncation_side_names,
             .group = OptionGroup::model,
             .help = "The end at which a text is cut (the model's)"},
    OptionOf{.member = &ScoreOptions::prompt,
             .name = "prompt",
             .value = "TEXT",
             .group = OptionGroup::model,
             .help = "String that is put before every query (the model's)"},
    OptionOf{.member = &ScoreOptions::prompt_name,
             .name = "prompt_name",
             .value = "NAME",
             .group = OptionGroup::model,
             .help = "Name of a prompt in the model's configuration"},
    OptionOf{.member = &ScoreOptions::activation,
             .name = "activation",
             .words = score_activation_names,
             .group = OptionGroup::model,
             .help = "The function that turns a logit into a score; identity: the logit itself "
                     "(the model's)"},
    refuse_truncated_option(&ScoreOptions::refuse_truncated,
                            "A pair that would be cut is an error"),
    threads_option(&ScoreOptions::threads),
    batch_tokens_option(&ScoreOptions::batch_tokens),
    dedup_option(
        &ScoreOptions::dedup,
        "Compute pairs with the same tokens only once; changes no byte of the result (on)"),
    InternalOf{&ScoreOptions::strict_utf8}};
static_assert(is_whole_list<ScoreOptions>);

}  // namespace embd
