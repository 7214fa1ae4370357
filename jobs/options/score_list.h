#pragma once

#include "embd/reranker.h"
#include "jobs/options/option.h"

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
    // --on-truncate has a third word, for a warning.
    OptionOf{.member = &ScoreOptions::refuse_truncated,
             .name = "refuse_truncated",
             .option = "",
             .group = OptionGroup::input,
             .help = "A pair that would be cut is an error",
             .decides = Decides::run},
    OptionOf{.member = &ScoreOptions::threads,
             .name = "threads",
             .letter = "t",
             .greatest = 1 << 16,
             .group = OptionGroup::running,
             .help = "Busy threads, tokenizing included (what affinity and the cgroup allow)",
             .decides = Decides::nothing},
    OptionOf{.member = &ScoreOptions::batch_tokens,
             .name = "batch_tokens",
             .group = OptionGroup::running,
             .help = "Tokens a worker takes at a time; changes no byte of the result",
             .decides = Decides::nothing},
    OptionOf{.member = &ScoreOptions::dedup,
             .name = "dedup",
             .words = on_off_names,
             .group = OptionGroup::running,
             .help = "Compute pairs with the same tokens once; changes no byte (on)",
             .decides = Decides::nothing},
    InternalOf{&ScoreOptions::strict_utf8}};
static_assert(is_whole_list<ScoreOptions>);

}  // namespace embd
