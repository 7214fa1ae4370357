#pragma once

#include "embd/cluster.h"
#include "embd/collect.h"
#include "embd/convert.h"
#include "embd/dedupe.h"
#include "embd/embed_file.h"
#include "embd/lock.h"
#include "embd/map.h"
#include "embd/neighbours.h"
#include "embd/rerank.h"
#include "embd/split.h"
#include "embd/texts.h"
#include "embd/verify.h"
#include "jobs/options/model_lists.h"
#include "jobs/options/option.h"
#include "jobs/options/vector_lists.h"

// The lists of the options of jobs, and all lists.
namespace embd {

template <>
inline constexpr auto option_list<InputOptions> = list_options(
    OptionOf{&InputOptions::format, "input_format", OptionGroup::input,
             "The format of the texts; auto: by the extension, else txt"}
        .of_words(input_format_names)
        .unset_by("auto"),
    OptionOf{&InputOptions::text_field, "text_field", OptionGroup::input,
             "Field that holds the text (text)"}
        .taking("NAME"),
    OptionOf{&InputOptions::id_field, "id_field", OptionGroup::input,
             "Field that holds the id of a row"}
        .taking("NAME"),
    OptionOf{&InputOptions::id_from, "id_from", OptionGroup::input,
             "file: ids are the file's name and the line, such as notes/a.txt:12"}
        .of_words(id_source_names),
    OptionOf{&InputOptions::id_type, "id_type", OptionGroup::input,
             "The type of ids in csv and tsv; auto: the type that the first id has"}
        .of_words(id_type_names)
        .needing("id_field"),
    OptionOf{
        &InputOptions::has_header, "has_header", OptionGroup::input,
        "csv, tsv: the first row is data, not a header; fields are named by their numbers from 1"}
        .on_command_line("no_header"),
    OptionOf{&InputOptions::encoding, "encoding", OptionGroup::input,
             "Encoding of the file, such as latin-1 or windows-1252 (utf-8)"}
        .taking("NAME"),
    OptionOf{&InputOptions::invalid_text, "invalid_utf8", OptionGroup::input,
             "Bytes that are invalid in the encoding: an error, or replaced by U+FFFD"}
        .of_words(invalid_text_names),
    OptionOf{&InputOptions::delimiter, "delimiter", OptionGroup::input,
             "csv: the character between the fields of a row, such as \";\" or tab (a comma)"}
        .taking("CHAR"),
    OptionOf{&InputOptions::skip_empty, "skip_empty", OptionGroup::input,
             "Leave out texts that are empty or only white space; rows are numbered without them"},
    OptionOf{
        &InputOptions::token_ids_field, "token_ids_field", OptionGroup::input,
        "JSON Lines: field that holds token ids, as embd tokenize writes them, instead of a text"}
        .taking("NAME"),
    OptionOf{&InputOptions::max_text_bytes, "max_text_bytes", OptionGroup::input,
             "Largest size of a line, or of a csv field, in bytes; a larger one is an error "
             "(1073741824)"}
        .at_least(1)
        .deciding(Decides::nothing),
    // Fields that become sections and columns of an output. EmbedOptions names them.
    OptionOf{&InputOptions::fields, "fields"}.on_command_line("").in_python(""),
    OptionOf{&InputOptions::number_fields, "number_fields"}.on_command_line("").in_python(""),
    InternalOf{&InputOptions::on_warning});
static_assert(is_whole_list<InputOptions>);

template <>
inline constexpr auto option_list<EmbedOptions> = list_options(
    OptionOf{&EmbedOptions::encode}, OptionOf{&EmbedOptions::output},
    OptionOf{&EmbedOptions::terms},
    OptionOf{&EmbedOptions::section_fields, "section_fields", OptionGroup::cvc,
             "CVC: neighbouring rows with equal values of this field form a section; repeatable"}
        .on_command_line("section_field")
        .taking("NAME")
        .for_formats({"cvc"}),
    OptionOf{&EmbedOptions::column_fields, "column_fields", OptionGroup::output,
             "CVC, Parquet, JSON Lines: a field as a column, of type int32 or of TYPE: text, "
             "float32, float16, int32, int64, int8, uint8; repeatable"}
        .on_command_line("column_field")
        .taking("NAME[:TYPE]")
        .for_formats({"cvc", "parquet", "jsonl"}),
    OptionOf{&EmbedOptions::part, "part", OptionGroup::running,
             "Embed part I, from 0, of N parts of the input, with a manifest OUT.part.json beside "
             "each output; embd join joins the parts"}
        .taking("I/N")
        .deciding(Decides::run),
    OptionOf{&EmbedOptions::id_start, "id_start", OptionGroup::input, "Number the rows from N"},
    refuse_truncated_option(&EmbedOptions::refuse_truncated,
                            "A text that would be cut is an error"),
    row_report_option(
        &EmbedOptions::row_report,
        "A file for the number of tokens of each row, and whether the row was truncated"),
    resume_option(&EmbedOptions::resume), restart_option(&EmbedOptions::restart),
    InternalOf{&EmbedOptions::progress});
static_assert(is_whole_list<EmbedOptions>);

template <>
inline constexpr auto option_list<ScorePairsOptions> = list_options(
    OptionOf{&ScorePairsOptions::score},
    OptionOf{&ScorePairsOptions::query_field, "query_field", OptionGroup::input,
             "Pairs: field that holds the first text of each pair (query)"}
        .taking("NAME"),
    OptionOf{&ScorePairsOptions::output},
    OptionOf{&ScorePairsOptions::part, "part", OptionGroup::running,
             "Score part I, from 0, of N parts of the pairs, with a manifest OUT.part.json beside "
             "each output; embd join joins the parts"}
        .taking("I/N")
        .deciding(Decides::run),
    OptionOf{&ScorePairsOptions::id_start, "id_start", OptionGroup::input,
             "Number the pairs from N"},
    row_report_option(
        &ScorePairsOptions::row_report,
        "A file for the number of tokens of each pair, and whether the pair was truncated"),
    resume_option(&ScorePairsOptions::resume), restart_option(&ScorePairsOptions::restart),
    InternalOf{&ScorePairsOptions::progress});
static_assert(is_whole_list<ScorePairsOptions>);

template <>
inline constexpr auto option_list<VerifyOptions> =
    list_options(OptionOf{&VerifyOptions::encode},
                 OptionOf{&VerifyOptions::sample, "sample", OptionGroup::running,
                          "Check only N rows, drawn at random (all)"}
                     .deciding(Decides::nothing),
                 OptionOf{&VerifyOptions::seed, "seed", OptionGroup::running,
                          "The seed for drawing rows with --sample (0)"}
                     .taking("S")
                     .needing("sample")
                     .deciding(Decides::nothing),
                 OptionOf{&VerifyOptions::force, "force", OptionGroup::running,
                          "Check even if the recipe names another model or other options"}
                     .deciding(Decides::nothing),
                 OptionOf{&VerifyOptions::read}, OptionOf{&VerifyOptions::input});
static_assert(is_whole_list<VerifyOptions>);

template <>
inline constexpr auto option_list<ConvertOptions> =
    list_options(OptionOf{&ConvertOptions::read}, OptionOf{&ConvertOptions::output},
                 // --rows A:B sets both.
                 OptionOf{&ConvertOptions::first_row, "first_row", OptionGroup::output,
                          "Take only the rows from A up to, but not including, B"}
                     .on_command_line("rows")
                     .taking("A:B"),
                 OptionOf{&ConvertOptions::end_row, "end_row", OptionGroup::output,
                          "Take only the rows from A up to, but not including, B"}
                     .on_command_line("rows")
                     .taking("A:B"),
                 OptionOf{&ConvertOptions::force, "force", OptionGroup::running,
                          "Continue even if the inputs were made with different recipes"}
                     .deciding(Decides::nothing));
static_assert(is_whole_list<ConvertOptions>);

template <>
inline constexpr auto option_list<IndexFileOptions> =
    list_options(OptionOf{&IndexFileOptions::read}, OptionOf{&IndexFileOptions::index},
                 OptionOf{&IndexFileOptions::certify, "certify", OptionGroup::index,
                          "Measure recall@10 on N of the rows and store it in OUT.recipe.json"}
                     .at_least(1)
                     .for_formats({"usearch", "hnsw", "vamana"}));
static_assert(is_whole_list<IndexFileOptions>);

template <>
inline constexpr auto option_list<DedupeOptions> = list_options(
    OptionOf{&DedupeOptions::min_similarity, "min_similarity", OptionGroup::analysis,
             "Least cosine similarity of two near-duplicates (0.9)"},
    OptionOf{
        &DedupeOptions::keep, "keep", OptionGroup::analysis,
        "The row of each group that is kept: the first, or the one with the longest text (first)"}
        .of_words(keep_names),
    OptionOf{&DedupeOptions::exact_rows, "exact_rows", OptionGroup::analysis,
             "Compare all pairs of rows if there are at most N; otherwise an index finds nearly "
             "all, and a sample shows how many (1,000,000)"},
    threads_option(&DedupeOptions::threads,
                   "Number of threads (as many as affinity and cgroup allow)"));
static_assert(is_whole_list<DedupeOptions>);

template <>
inline constexpr auto option_list<ClusterOptions> = list_options(
    OptionOf{&ClusterOptions::method, "method", OptionGroup::analysis,
             "HDBSCAN instead of k-means: it finds the regions where rows lie densely; each is a "
             "group, and all other rows are in no group (-1)"}
        .on_command_line("density")
        .in_python("density")
        .of_words(cluster_method_names),
    // On the command line "auto" is 0.
    OptionOf{&ClusterOptions::k, "k", OptionGroup::analysis,
             "k-means: number of groups; auto: the number that separates the rows best (auto)"}
        .with_letter("k")
        .taking("N|auto"),
    OptionOf{&ClusterOptions::seed, "seed", OptionGroup::analysis,
             "k-means: seed for the rows that are drawn as first centers (0)"}
        .taking("S"),
    OptionOf{&ClusterOptions::min_size, "min_size", OptionGroup::analysis,
             "density: least number of rows in a group (10)"}
        .between(2, 0xffffffff),
    OptionOf{&ClusterOptions::min_samples, "min_samples", OptionGroup::analysis,
             "density: a row lies densely if its N-th nearest row is near, where the row itself is "
             "the first (--min-size)"}
        .between(1, 0xffffffff),
    OptionOf{&ClusterOptions::exact_rows, "exact_rows", OptionGroup::analysis,
             "density: compare all pairs of rows if there are at most N; otherwise an index finds "
             "the neighbours (50,000)"},
    threads_option(&ClusterOptions::threads,
                   "Number of threads (as many as affinity and cgroup allow)"));
static_assert(is_whole_list<ClusterOptions>);

template <>
inline constexpr auto option_list<LockOptions> =
    list_options(vocab_option(&LockOptions::vocab).in_python(""),
                 // The option compute of the model is stored here.
                 OptionOf{&LockOptions::compute, "compute", OptionGroup::general,
                          "Arithmetic in which the vectors are checked later (f32)"}
                     .on_command_line("")
                     .in_python("")
                     .of_words(compute_names),
                 OptionOf{&LockOptions::encode},
                 OptionOf{&LockOptions::probes, "probes", OptionGroup::input,
                          "Texts to embed, one on each line (texts that embd brings along)"}
                     .in_python("")
                     .taking("FILE"));
static_assert(is_whole_list<LockOptions>);

template <>
inline constexpr auto option_list<CheckOptions> =
    list_options(OptionOf{&CheckOptions::model, "model", OptionGroup::model,
                          "EMBD weight file (the one that the lock names)"}
                     .with_letter("m")
                     .in_python("")
                     .taking("FILE"),
                 vocab_option(&CheckOptions::vocab).in_python(""),
                 OptionOf{&CheckOptions::compute, "compute", OptionGroup::model,
                          "Arithmetic of the weight matrices (the lock file's)"}
                     .in_python("")
                     .of_words(compute_names),
                 threads_option(&CheckOptions::threads).in_python(""),
                 OptionOf{&CheckOptions::force, "force", OptionGroup::running,
                          "Check even if the lock file belongs to another model"}
                     .in_python("")
                     .deciding(Decides::nothing));
static_assert(is_whole_list<CheckOptions>);

template <>
inline constexpr auto option_list<DedupeFileOptions> = list_options(
    OptionOf{&DedupeFileOptions::dedupe}, OptionOf{&DedupeFileOptions::read},
    texts_option(&DedupeFileOptions::texts), OptionOf{&DedupeFileOptions::input},
    OptionOf{&DedupeFileOptions::encode},
    OptionOf{&DedupeFileOptions::report, "report", OptionGroup::output,
             "A line for each pair with its similarity, its group and the row that is kept: "
             "Parquet if FILE ends in .parquet, CSV if it ends in .csv, else JSON Lines"}
        .in_python("")
        .taking("FILE")
        .deciding(Decides::run),
    OptionOf{&DedupeFileOptions::against, "against", OptionGroup::analysis,
             "Remove rows that are near-duplicates of a row of this file or folder, such as texts "
             "of a test set that are in the training set, too"}
        .in_python("")
        .taking("FILE"));
static_assert(is_whole_list<DedupeFileOptions>);

template <>
inline constexpr auto option_list<ClusterFileOptions> =
    list_options(OptionOf{&ClusterFileOptions::cluster}, OptionOf{&ClusterFileOptions::read},
                 texts_option(&ClusterFileOptions::texts), OptionOf{&ClusterFileOptions::input},
                 OptionOf{&ClusterFileOptions::encode},
                 OptionOf{&ClusterFileOptions::num_words, "num_words", OptionGroup::analysis,
                          "Words that name a group (5)"}
                     .on_command_line("name_words"),
                 InternalOf{&ClusterFileOptions::num_rows});
static_assert(is_whole_list<ClusterFileOptions>);

template <>
inline constexpr auto option_list<AgreementOptions> = list_options(
    OptionOf{
        &AgreementOptions::k, "k", OptionGroup::search,
        "Compare which K rows are nearest to each row, by cosine, instead of ids and values: "
        "overlap, rank correlation, the rows that moved most. The sets may be of different models"}
        .between(1, 1 << 20)
        .on_command_line("neighbours")
        .taking("K"),
    OptionOf{&AgreementOptions::sample, "sample", OptionGroup::search,
             "Compare the neighbours of N rows only (all)"}
        .at_least(1)
        .needing("neighbours"),
    threads_option(&AgreementOptions::threads));
static_assert(is_whole_list<AgreementOptions>);

template <>
inline constexpr auto option_list<ProjectOptions> = list_options(
    OptionOf{&ProjectOptions::neighbours, "neighbours", OptionGroup::analysis,
             "Number of nearest rows beside which a row is placed: fewer show finer groups (15)"}
        .between(2, 200),
    OptionOf{&ProjectOptions::epochs, "epochs", OptionGroup::analysis,
             "Number of steps in which the rows find their places (300)"}
        .between(1, 10'000),
    threads_option(&ProjectOptions::threads));
static_assert(is_whole_list<ProjectOptions>);

template <>
inline constexpr auto option_list<MapOptions> = list_options(
    OptionOf{&MapOptions::project},
    OptionOf{&MapOptions::nearest, "nearest", OptionGroup::output,
             "Number of nearest rows that the page shows for each row, at most --neighbours (8)"}
        .between(0, 100));
static_assert(is_whole_list<MapOptions>);

template <>
inline constexpr auto option_list<MapPageOptions> =
    list_options(OptionOf{&MapPageOptions::text_bytes, "text_bytes", OptionGroup::output,
                          "Greatest number of bytes that the page keeps of a text (1000)"}
                     .deciding(Decides::run));
static_assert(is_whole_list<MapPageOptions>);

template <>
inline constexpr auto option_list<MapPictureOptions> = list_options(
    OptionOf{&MapPictureOptions::width, "width", OptionGroup::output,
             "Width of a picture in pixels (1200)"}
        .between(200, 20'000)
        .deciding(Decides::run),
    OptionOf{&MapPictureOptions::height, "height", OptionGroup::output,
             "Height of a picture in pixels (800)"}
        .between(200, 20'000)
        .deciding(Decides::run),
    OptionOf{&MapPictureOptions::dark, "dark", OptionGroup::output,
             "Draw the picture on a dark background; a page follows the setting of its reader"}
        .deciding(Decides::run));
static_assert(is_whole_list<MapPictureOptions>);

template <>
inline constexpr auto option_list<MapFileOptions> = list_options(
    OptionOf{&MapFileOptions::map}, OptionOf{&MapFileOptions::read},
    texts_option(&MapFileOptions::texts), OptionOf{&MapFileOptions::input},
    OptionOf{&MapFileOptions::encode},
    OptionOf{&MapFileOptions::color_by, "color_by", OptionGroup::analysis,
             "Take the groups from this field of the texts or this column of the vector "
             "set, instead of finding them"}
        .in_python("")
        .taking("NAME"),
    OptionOf{&MapFileOptions::groups, "groups", OptionGroup::analysis,
             "Number of groups to find; 0: none (a third of the square root of the "
             "number of rows, from 2 to 40)"}
        .between(0, 1000),
    OptionOf{&MapFileOptions::title, "title", OptionGroup::output,
             "Title of the map (the name of the input)"}
        .taking("TEXT")
        .deciding(Decides::run),
    OptionOf{&MapFileOptions::page}, OptionOf{&MapFileOptions::picture});
static_assert(is_whole_list<MapFileOptions>);

template <>
inline constexpr auto option_list<SplitOptions> = list_options(
    OptionOf{&SplitOptions::kind, "kind", OptionGroup::input,
             "Documents are in Markdown, text or code; auto: by the extension, else text"}
        .of_words(document_kind_names)
        .unset_by("auto"),
    OptionOf{&SplitOptions::max_tokens, "max_tokens", OptionGroup::output,
             "The most tokens of a passage and its context, at most as many as the model reads "
             "(256)"}
        .at_least(32),
    OptionOf{&SplitOptions::invalid_text, "invalid_utf8", OptionGroup::input,
             "Bytes that are not UTF-8: an error, or replaced by U+FFFD"}
        .of_words(invalid_text_names));
static_assert(is_whole_list<SplitOptions>);

template <>
inline constexpr auto option_list<CollectOptions> = list_options(
    OptionOf{&CollectOptions::max_tokens, "max_tokens", OptionGroup::output,
             "The most tokens of a passage and its context (those of the collection; 256)"}
        .at_least(32),
    OptionOf{&CollectOptions::stemmer, "stemmer", OptionGroup::output,
             "The language whose forms of words are one term (that of the collection; english)"}
        .of_words(stemmer_names),
    OptionOf{&CollectOptions::index_rows, "index_rows", OptionGroup::output,
             "Number of passages from which on there is an HNSW index (that of the collection; "
             "200000)"},
    OptionOf{&CollectOptions::check_content, "check_content", OptionGroup::running,
             "Read all files, instead of those whose size or time of change differs"}
        .deciding(Decides::nothing),
    OptionOf{&CollectOptions::force, "force", OptionGroup::running,
             "Update even if more than half of the files are gone; with another model or other "
             "options, embed everything again"}
        .deciding(Decides::nothing),
    threads_option(&CollectOptions::threads), InternalOf{&CollectOptions::model_path},
    InternalOf{&CollectOptions::progress}, InternalOf{&CollectOptions::on_skip});
static_assert(is_whole_list<CollectOptions>);

/// Calls visit.operator()<Options>(name) for each structure of options. `name` is
/// the name of the structure, such as "CvcOptions".
template <class Visit>
constexpr void for_each_list(Visit&& visit) {
  visit.template operator()<LoadOptions>("LoadOptions");
  visit.template operator()<EncodeOptions>("EncodeOptions");
  visit.template operator()<ScoreOptions>("ScoreOptions");
  visit.template operator()<InputOptions>("InputOptions");
  visit.template operator()<ReadOptions>("ReadOptions");
  visit.template operator()<OutputOptions>("OutputOptions");
  visit.template operator()<WriteOptions>("WriteOptions");
  visit.template operator()<CvcOptions>("CvcOptions");
  visit.template operator()<ParquetOptions>("ParquetOptions");
  visit.template operator()<SvsOptions>("SvsOptions");
  visit.template operator()<FinalfusionOptions>("FinalfusionOptions");
  visit.template operator()<IndexOptions>("IndexOptions");
  visit.template operator()<EmbedOptions>("EmbedOptions");
  visit.template operator()<ScorePairsOptions>("ScorePairsOptions");
  visit.template operator()<VerifyOptions>("VerifyOptions");
  visit.template operator()<ConvertOptions>("ConvertOptions");
  visit.template operator()<IndexFileOptions>("IndexFileOptions");
  visit.template operator()<SearcherOptions>("SearcherOptions");
  visit.template operator()<TermOptions>("TermOptions");
  visit.template operator()<TermSearchOptions>("TermSearchOptions");
  visit.template operator()<SearchOptions>("SearchOptions");
  visit.template operator()<QueryOptions>("QueryOptions");
  visit.template operator()<DedupeOptions>("DedupeOptions");
  visit.template operator()<ClusterOptions>("ClusterOptions");
  visit.template operator()<DedupeFileOptions>("DedupeFileOptions");
  visit.template operator()<ClusterFileOptions>("ClusterFileOptions");
  visit.template operator()<ProjectOptions>("ProjectOptions");
  visit.template operator()<MapOptions>("MapOptions");
  visit.template operator()<MapPageOptions>("MapPageOptions");
  visit.template operator()<MapPictureOptions>("MapPictureOptions");
  visit.template operator()<MapFileOptions>("MapFileOptions");
  visit.template operator()<AgreementOptions>("AgreementOptions");
  visit.template operator()<LockOptions>("LockOptions");
  visit.template operator()<CheckOptions>("CheckOptions");
  visit.template operator()<SplitOptions>("SplitOptions");
  visit.template operator()<CollectOptions>("CollectOptions");
  visit.template operator()<OpenOptions>("OpenOptions");
  visit.template operator()<GetModelOptions>("GetModelOptions");
  visit.template operator()<ConvertModelOptions>("ConvertModelOptions");
}

}  // namespace embd
