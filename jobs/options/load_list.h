#pragma once

#include "embd/model.h"
#include "jobs/options/option.h"

namespace embd {

template <>
inline constexpr auto option_list<LoadOptions> = std::tuple{
    OptionOf{
        .member = &LoadOptions::vocab,
        .name = "vocab",
        .value = "FILE",
        .group = OptionGroup::model,
        .help = "The vocab.txt or tokenizer.json of a model whose weight file has no vocabulary",
        .decides = Decides::recipe},
    OptionOf{.member = &LoadOptions::verify,
             .name = "verify",
             .option = "",
             .group = OptionGroup::model,
             .help = "Check the checksums over the whole file",
             .decides = Decides::nothing},
    OptionOf{.member = &LoadOptions::compute,
             .name = "compute",
             .words = compute_names,
             .group = OptionGroup::model,
             .help = "Arithmetic of the weight matrices (f32)",
             .decides = Decides::recipe},
    OptionOf{.member = &LoadOptions::hash_record,
             .name = "hash_record",
             .option = "",
             .value = "FILE",
             .group = OptionGroup::running,
             .help = "A file in which the model's SHA-256 is kept for later processes",
             .decides = Decides::nothing}};
static_assert(is_whole_list<LoadOptions>);

}  // namespace embd
