#pragma once

#include "embd/model.h"
#include "jobs/options/option.h"
#include "jobs/options/shared_options.h"

namespace embd {

template <>
inline constexpr auto option_list<EncodeOptions> = std::tuple{
    OptionOf{
        .member = &EncodeOptions::max_length,
        .name = "max_length",
        .group = OptionGroup::model,
        .help = "Number of tokens that a text is cut to, special tokens included (the model's)",
        .decides = Decides::recipe},
    OptionOf{.member = &EncodeOptions::prompt,
             .name = "prompt",
             .value = "TEXT",
             .group = OptionGroup::model,
             .help = "String that is put before every text (the model's)",
             .decides = Decides::recipe},
    OptionOf{.member = &EncodeOptions::prompt_name,
             .name = "prompt_name",
             .value = "NAME",
             .group = OptionGroup::model,
             .help = "Name of a prompt in the model's configuration, such as query or document",
             .decides = Decides::recipe},
    OptionOf{.member = &EncodeOptions::truncation_side,
             .name = "truncate_side",
             .words = truncation_side_names,
             .group = OptionGroup::model,
             .help = "The end at which a longer text is cut (the model's)",
             .decides = Decides::recipe},
    // --windows sets max_length, too.
    OptionOf{.member = &EncodeOptions::windows,
             .name = "windows",
             .option = "window_pooling",
             .keyword = "window_pooling",
             .words = windows_names,
             .value = "mean|none",
             .needs = "windows",
             .group = OptionGroup::model,
             .help = "One row for each text, or one for each window with the id line#window (none)",
             .decides = Decides::recipe},
    OptionOf{
        .member = &EncodeOptions::stride,
        .name = "stride",
        .least = 1,
        .needs = "windows",
        .group = OptionGroup::model,
        .help = "Number of tokens from the start of a window to the start of the next (no overlap)",
        .decides = Decides::recipe},
    threads_option(&EncodeOptions::threads), batch_tokens_option(&EncodeOptions::batch_tokens),
    OptionOf{.member = &EncodeOptions::pooling,
             .name = "pooling",
             .words = pooling_names,
             .group = OptionGroup::model,
             .help = "How the vectors of tokens become one vector (the model's)",
             .decides = Decides::recipe},
    OptionOf{.member = &EncodeOptions::normalize,
             .name = "normalize",
             .option = "no_normalize",
             .group = OptionGroup::model,
             .help = "Keep the lengths of the vectors instead of scaling them to 1",
             .decides = Decides::recipe},
    OptionOf{.member = &EncodeOptions::truncate_dim,
             .name = "truncate_dim",
             .value = "D",
             .group = OptionGroup::model,
             .help = "Keep only the first D components of each vector",
             .decides = Decides::recipe},
    dedup_option(
        &EncodeOptions::dedup,
        "Compute texts with the same tokens only once; changes no byte of the result (on)"),
    InternalOf{&EncodeOptions::strict_utf8}};
static_assert(is_whole_list<EncodeOptions>);

}  // namespace embd
