#pragma once

#include "embd/get_model.h"
#include "jobs/options/option.h"

namespace embd {

// The command line reads endpoint, token and cache from the environment only, as the hub's own
// tools do. Everybody who lists processes would see a token in a command.
template <>
inline constexpr auto option_list<GetModelOptions> = std::tuple{
    OptionOf{.member = &GetModelOptions::revision,
             .name = "revision",
             .value = "REVISION",
             .group = OptionGroup::model,
             .help = "The branch, tag or commit to download (main)",
             .decides = Decides::run},
    OptionOf{.member = &GetModelOptions::endpoint,
             .name = "endpoint",
             .option = "",
             .value = "URL",
             .group = OptionGroup::access,
             .help = "The URL of the hub ($HF_ENDPOINT, else https://huggingface.co)",
             .decides = Decides::run},
    OptionOf{.member = &GetModelOptions::token,
             .name = "token",
             .option = "",
             .value = "TOKEN",
             .group = OptionGroup::access,
             .help = "The token for models that are not public ($HF_TOKEN, else the token that "
                     "Hugging Face's tools have stored)",
             .decides = Decides::nothing},
    OptionOf{
        .member = &GetModelOptions::cache_folder,
        .name = "cache_folder",
        .option = "",
        .value = "FOLDER",
        .group = OptionGroup::output,
        .help = "The cache folder of Hugging Face's tools (where their environment variables say)",
        .decides = Decides::nothing},
    InternalOf{.member = &GetModelOptions::on_progress},
    OptionOf{.member = &GetModelOptions::retry_seconds,
             .name = "retry_seconds",
             .group = OptionGroup::running,
             .help = "Seconds until a failed request is sent again, doubled each time (1)",
             .decides = Decides::nothing}};
static_assert(is_whole_list<GetModelOptions>);

}  // namespace embd
