#pragma once

#include "embd/convert_model.h"
#include "embd/get_model.h"
#include "embd/model.h"
#include "embd/reranker.h"
#include "jobs/options/option.h"

// The lists of the options of models.
namespace embd {

template <>
inline constexpr auto option_list<LoadOptions> =
    list_options(vocab_option(&LoadOptions::vocab),
                 OptionOf{&LoadOptions::verify, "verify", OptionGroup::model,
                          "Check the checksums over the whole file"}
                     .on_command_line("")
                     .deciding(Decides::nothing),
                 OptionOf{&LoadOptions::compute, "compute", OptionGroup::model,
                          "Arithmetic of the weight matrices (f32)"}
                     .of_words(compute_names)
                     .deciding(Decides::recipe),
                 OptionOf{&LoadOptions::hash_record, "hash_record", OptionGroup::running,
                          "A file in which the model's SHA-256 is kept for later processes"}
                     .on_command_line("")
                     .taking("FILE")
                     .deciding(Decides::nothing));
static_assert(is_whole_list<LoadOptions>);

template <>
inline constexpr auto option_list<EncodeOptions> = list_options(
    OptionOf{&EncodeOptions::max_length, "max_length", OptionGroup::model,
             "Number of tokens that a text is cut to, special tokens included (the model's)"}
        .deciding(Decides::recipe),
    OptionOf{&EncodeOptions::prompt, "prompt", OptionGroup::model,
             "String that is put before every text (the model's)"}
        .taking("TEXT")
        .deciding(Decides::recipe),
    OptionOf{&EncodeOptions::prompt_name, "prompt_name", OptionGroup::model,
             "Name of a prompt in the model's configuration, such as query or document"}
        .taking("NAME")
        .deciding(Decides::recipe),
    OptionOf{&EncodeOptions::truncation_side, "truncate_side", OptionGroup::model,
             "The end at which a longer text is cut (the model's)"}
        .of_words(truncation_side_names)
        .deciding(Decides::recipe),
    // --windows sets max_length, too.
    OptionOf{&EncodeOptions::windows, "windows", OptionGroup::model,
             "One row for each text, or one for each window with the id line#window (none)"}
        .on_command_line("window_pooling")
        .in_python("window_pooling")
        .of_words(windows_names)
        .taking("mean|none")
        .needing("windows")
        .deciding(Decides::recipe),
    OptionOf{&EncodeOptions::stride, "stride", OptionGroup::model,
             "Number of tokens from the start of a window to the start of the next (no overlap)"}
        .at_least(1)
        .needing("windows")
        .deciding(Decides::recipe),
    threads_option(&EncodeOptions::threads), batch_tokens_option(&EncodeOptions::batch_tokens),
    OptionOf{&EncodeOptions::pooling, "pooling", OptionGroup::model,
             "How the vectors of tokens become one vector (the model's)"}
        .of_words(pooling_names)
        .deciding(Decides::recipe),
    OptionOf{&EncodeOptions::normalize, "normalize", OptionGroup::model,
             "Keep the lengths of the vectors instead of scaling them to 1"}
        .on_command_line("no_normalize")
        .deciding(Decides::recipe),
    OptionOf{&EncodeOptions::truncate_dim, "truncate_dim", OptionGroup::model,
             "Keep only the first D components of each vector"}
        .taking("D")
        .deciding(Decides::recipe),
    dedup_option(
        &EncodeOptions::dedup,
        "Compute texts with the same tokens only once; changes no byte of the result (on)"),
    InternalOf{&EncodeOptions::strict_utf8});
static_assert(is_whole_list<EncodeOptions>);

template <>
inline constexpr auto option_list<ScoreOptions> = list_options(
    OptionOf{&ScoreOptions::max_length, "max_length", OptionGroup::model,
             "Number of tokens that a pair is cut to, special tokens included (the model's)"},
    OptionOf{&ScoreOptions::truncation_side, "truncate_side", OptionGroup::model,
             "The end at which a text is cut (the model's)"}
        .of_words(truncation_side_names),
    OptionOf{&ScoreOptions::prompt, "prompt", OptionGroup::model,
             "String that is put before every query (the model's)"}
        .taking("TEXT"),
    OptionOf{&ScoreOptions::prompt_name, "prompt_name", OptionGroup::model,
             "Name of a prompt in the model's configuration"}
        .taking("NAME"),
    OptionOf{
        &ScoreOptions::activation, "activation", OptionGroup::model,
        "The function that turns a logit into a score; identity: the logit itself (the model's)"}
        .of_words(score_activation_names),
    refuse_truncated_option(&ScoreOptions::refuse_truncated,
                            "A pair that would be cut is an error"),
    threads_option(&ScoreOptions::threads), batch_tokens_option(&ScoreOptions::batch_tokens),
    dedup_option(
        &ScoreOptions::dedup,
        "Compute pairs with the same tokens only once; changes no byte of the result (on)"),
    InternalOf{&ScoreOptions::strict_utf8});
static_assert(is_whole_list<ScoreOptions>);

// The command line reads endpoint, token and cache from the environment only, as the hub's own
// tools do. Everybody who lists processes would see a token in a command.
template <>
inline constexpr auto option_list<GetModelOptions> = list_options(
    OptionOf{&GetModelOptions::revision, "revision", OptionGroup::model,
             "The branch, tag or commit to download (main)"}
        .taking("REVISION")
        .deciding(Decides::run),
    OptionOf{&GetModelOptions::endpoint, "endpoint", OptionGroup::access,
             "The URL of the hub ($HF_ENDPOINT, else https://huggingface.co)"}
        .on_command_line("")
        .taking("URL")
        .deciding(Decides::run),
    OptionOf{&GetModelOptions::token, "token", OptionGroup::access,
             "The token for models that are not public ($HF_TOKEN, else the token that Hugging "
             "Face's tools have stored)"}
        .on_command_line("")
        .taking("TOKEN")
        .deciding(Decides::nothing),
    OptionOf{&GetModelOptions::cache_folder, "cache_folder", OptionGroup::output,
             "The cache folder of Hugging Face's tools (where their environment variables say)"}
        .on_command_line("")
        .taking("FOLDER")
        .deciding(Decides::nothing),
    InternalOf{.member = &GetModelOptions::on_progress},
    OptionOf{&GetModelOptions::retry_seconds, "retry_seconds", OptionGroup::running,
             "Seconds until a failed request is sent again, doubled each time (1)"}
        .deciding(Decides::nothing));
static_assert(is_whole_list<GetModelOptions>);

template <>
inline constexpr auto option_list<ConvertModelOptions> = list_options(
    OptionOf{&ConvertModelOptions::type, "weight_type", OptionGroup::output,
             "Type of the values of the weight matrices (f32)"}
        .on_command_line("dtype")
        .in_python("")
        .of_words(weight_type_names),
    OptionOf{&ConvertModelOptions::model_name, "model_name", OptionGroup::output,
             "Name of the model (the name of the folder)"}
        .on_command_line("name")
        .in_python("")
        .taking("NAME"),
    OptionOf{&ConvertModelOptions::license, "license", OptionGroup::output,
             "License of the model, which the file records"}
        .in_python("")
        .taking("NAME"),
    OptionOf{&ConvertModelOptions::checksums, "checksums", OptionGroup::output,
             "Leave out the two checksums over the whole file"}
        .on_command_line("no_checksum")
        .in_python(""),
    OptionOf{&ConvertModelOptions::texts_to_prune_for, "texts_to_prune_for", OptionGroup::input,
             "Keep only the pieces of a Unigram vocabulary that the texts of this file need"}
        .on_command_line("prune_vocabulary")
        .in_python("")
        .taking("TEXTS"));
static_assert(is_whole_list<ConvertModelOptions>);

}  // namespace embd
