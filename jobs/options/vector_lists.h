#pragma once

#include "embd/index_options.h"
#include "embd/output_options.h"
#include "embd/searcher.h"
#include "embd/terms.h"
#include "embd/vectors.h"
#include "jobs/options/option.h"

// The lists of the options for reading and writing vectors, for building an index and for
// searching.
namespace embd {

template <>
inline constexpr auto option_list<ReadOptions> = list_options(
    OptionOf{&ReadOptions::format, "from", OptionGroup::reading,
             "The format of the input (recognized by its content, then by its extension)"}
        .in_python("format")
        .taking("FORMAT"),
    OptionOf{&ReadOptions::element_type, "dtype", OptionGroup::reading,
             "The type of the values in raw files, which do not state it"}
        .of_words(raw_type_names)
        .taking("TYPE")
        .for_formats({"svs", "fvecs", "ivecs", "bvecs", "hvecs", "fbin", "u8bin", "i8bin"}),
    OptionOf{&ReadOptions::column, "column", OptionGroup::reading,
             "CVC, Parquet: the column to read"}
        .taking("NAME")
        .for_formats({"cvc", "parquet"}),
    InternalOf{&ReadOptions::any_column},
    OptionOf{&ReadOptions::section, "section", OptionGroup::reading,
             "CVC: rows of the sections with this metadata"}
        .taking("KEY=VALUE")
        .for_formats({"cvc"}),
    OptionOf{&ReadOptions::all_rows, "all_rows", OptionGroup::reading,
             "finalfusion: read the rows of subwords, too"}
        .for_formats({"finalfusion", "fasttext"}),
    OptionOf{&ReadOptions::unnormalize, "unnormalize", OptionGroup::reading,
             "finalfusion: multiply vectors by their norms, to give them their original lengths"}
        .for_formats({"finalfusion"}));
static_assert(is_whole_list<ReadOptions>);

template <>
inline constexpr auto option_list<IndexOptions> = list_options(
    // The extension of the output decides the kind.
    OptionOf{
        &IndexOptions::kind, "kind", OptionGroup::general,
        "The kind of graph: hnsw is saved as a .usearch file, vamana as an SVS directory (hnsw)"}
        .on_command_line("")
        .of_words(index_kind_names),
    OptionOf{&IndexOptions::metric, "metric", OptionGroup::index,
             "Index: the metric, which measures how far two rows are apart (cos; hamming for bits)"}
        .of_words(metric_names)
        .taking("METRIC")
        .for_formats({"usearch", "hnsw", "vamana", "none"}),
    OptionOf{&IndexOptions::scalar, "scalar", OptionGroup::index,
             "Index: the type of the stored values (f32)"}
        .of_words(index_scalar_names)
        .taking("TYPE")
        .for_formats({"usearch", "hnsw", "vamana"}),
    OptionOf{&IndexOptions::connectivity, "connectivity", OptionGroup::index,
             "USearch: number of links of each row in the graph (16)"}
        .at_least(1)
        .for_formats({"usearch", "hnsw"}),
    OptionOf{&IndexOptions::expansion_add, "expansion_add", OptionGroup::index,
             "USearch: number of candidates kept while a row's links are chosen (128)"}
        .at_least(1)
        .for_formats({"usearch", "hnsw"}),
    OptionOf{&IndexOptions::builder, "builder", OptionGroup::index,
             "USearch: build on all threads, or one row after the other by USearch's own rules "
             "(parallel)"}
        .of_words(builder_names)
        .for_formats({"usearch", "hnsw"}),
    OptionOf{&IndexOptions::degree, "degree", OptionGroup::index,
             "Vamana: number of links of each row in the graph (64)"}
        .at_least(1)
        .for_formats({"vamana"}),
    OptionOf{&IndexOptions::window, "window", OptionGroup::index,
             "Vamana: number of candidates kept while a row's links are chosen (128)"}
        .at_least(1)
        .for_formats({"vamana"}),
    OptionOf{&IndexOptions::alpha, "alpha", OptionGroup::index,
             "Vamana: how far links may reach (1.2; ip and cos 0.93)"}
        .for_formats({"vamana"}),
    OptionOf{&IndexOptions::multi, "multi", OptionGroup::index, "Several rows may share an id"}
        .for_formats({"hnsw"}),
    threads_option(&IndexOptions::threads));
static_assert(is_whole_list<IndexOptions>);

template <>
inline constexpr auto option_list<CvcOptions> = list_options(
    OptionOf{&CvcOptions::compression, "cvc_compression", OptionGroup::cvc,
             "The compression of CVC; none is columnar (fp16; lossless for --output-type f32)"}
        .in_python("compression")
        .of_words(cvc_compression_names)
        .for_formats({"cvc"}),
    OptionOf{&CvcOptions::chunk_rows, "chunk_rows", OptionGroup::cvc,
             "CVC: number of rows in a chunk (100,000)"}
        .at_least(1)
        .for_formats({"cvc"}),
    OptionOf{&CvcOptions::mmap, "cvc_mmap", OptionGroup::cvc,
             "CVC: every chunk on a page of its own, for readers that map it"}
        .in_python("mmap")
        .for_formats({"cvc"}),
    OptionOf{&CvcOptions::column, "column", OptionGroup::cvc,
             "CVC: the name of the column of the rows in a columnar file (embedding)"}
        .on_command_line("")
        .taking("NAME")
        .for_formats({"cvc"}));
static_assert(is_whole_list<CvcOptions>);

template <>
inline constexpr auto option_list<FinalfusionOptions> = list_options(
    OptionOf{&FinalfusionOptions::quantizer, "quantize", OptionGroup::quantizers,
             "finalfusion: pq, opq; SVS: lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8"}
        .of_words(finalfusion_quantizer_names)
        .for_formats({"finalfusion", "svs"}),
    OptionOf{&FinalfusionOptions::bits, "bits", OptionGroup::quantizers,
             "finalfusion: bits of each subquantizer (8)"}
        .for_formats({"finalfusion"})
        .needing("quantize"),
    OptionOf{&FinalfusionOptions::subquantizers, "subquantizers", OptionGroup::quantizers,
             "finalfusion: number of subquantizers (dim / 2)"}
        .for_formats({"finalfusion"})
        .needing("quantize"),
    OptionOf{&FinalfusionOptions::metadata, "metadata", OptionGroup::quantizers,
             "finalfusion: metadata, to which the recipe is added"}
        .on_command_line("")
        .taking("TOML")
        .for_formats({"finalfusion"}),
    OptionOf{&FinalfusionOptions::normalize, "normalize_words", OptionGroup::quantizers,
             "finalfusion: scale the rows of words to length 1, and store their lengths as norms"}
        .on_command_line("normalize")
        .for_formats({"finalfusion"}),
    InternalOf{&FinalfusionOptions::norms}, InternalOf{&FinalfusionOptions::subwords});
static_assert(is_whole_list<FinalfusionOptions>);

template <>
inline constexpr auto option_list<ParquetOptions> = list_options(
    OptionOf{
        &ParquetOptions::compression, "parquet_compression", OptionGroup::parquet,
        "The compression of Parquet (none); zstd makes files smaller by a sixth, and takes longer"}
        .of_words(parquet_compression_names)
        .for_formats({"parquet"}),
    OptionOf{&ParquetOptions::row_group_rows, "row_group_rows", OptionGroup::parquet,
             "Parquet: number of rows in a row group, which engines process as one piece of work "
             "(32,768)"}
        .at_least(1)
        .for_formats({"parquet"}),
    OptionOf{&ParquetOptions::texts, "text_column", OptionGroup::parquet,
             "Parquet: a column of the texts"}
        .for_formats({"parquet"}));
static_assert(is_whole_list<ParquetOptions>);

template <>
inline constexpr auto option_list<SvsOptions> =
    list_options(OptionOf{&SvsOptions::layout, "svs_layout", OptionGroup::svs,
                          "SVS: the layout of the output (directory)"}
                     .in_python("layout")
                     .of_words(svs_layout_names)
                     .for_formats({"svs"}),
                 // finalfusion and SVS share this option: their quantizers have different names.
                 OptionOf{&SvsOptions::quantizer, "svs_quantize", OptionGroup::quantizers,
                          "finalfusion: pq, opq; SVS: lvq4, lvq8, lvq4x4, lvq4x8, lvq8x8"}
                     .on_command_line("quantize")
                     .in_python("quantize")
                     .of_words(svs_quantizer_names)
                     .for_formats({"finalfusion", "svs"}));
static_assert(is_whole_list<SvsOptions>);

template <>
inline constexpr auto option_list<WriteOptions> =
    list_options(  // A job has OutputOptions instead of these.
        OptionOf{&WriteOptions::format, "format", OptionGroup::output,
                 "The format of the output (by its extension)"}
            .on_command_line("")
            .taking("FORMAT")
            .deciding(Decides::nothing),
        OptionOf{&WriteOptions::element_type, "dtype", OptionGroup::output,
                 "Type of the stored values (f32)"}
            .on_command_line("")
            .of_words(element_type_names)
            .taking("TYPE")
            .deciding(Decides::nothing),
        InternalOf{&WriteOptions::ids}, InternalOf{&WriteOptions::num_rows},
        InternalOf{&WriteOptions::recipe}, InternalOf{&WriteOptions::columns},
        InternalOf{&WriteOptions::text_columns}, OptionOf{&WriteOptions::cvc},
        OptionOf{&WriteOptions::finalfusion}, OptionOf{&WriteOptions::parquet},
        OptionOf{&WriteOptions::svs}, OptionOf{&WriteOptions::index},
        InternalOf{&WriteOptions::kind});
static_assert(is_whole_list<WriteOptions>);

template <>
inline constexpr auto option_list<OutputOptions> = list_options(
    OptionOf{&OutputOptions::format, "output_format", OptionGroup::output,
             "The format of the output (by its extension)"}
        .in_python("format")
        .taking("FORMAT")
        .deciding(Decides::run),
    OptionOf{&OutputOptions::type, "output_type", OptionGroup::output,
             "The type of the stored values (the usual type of the format)"}
        .of_words(output_type_names),
    OptionOf{&OutputOptions::int8_ranges, "output_ranges", OptionGroup::output,
             "For --output-type int8: a file of two rows, the least and the greatest value of each "
             "component (computed from the vectors); copied to OUT.ranges.npy"}
        .taking("FILE")
        .needing("output_type"),
    OptionOf{&OutputOptions::write});
static_assert(is_whole_list<OutputOptions>);

template <>
inline constexpr auto option_list<TermOptions> = list_options(
    OptionOf{&TermOptions::kind, "term_kind", OptionGroup::output,
             "The kind of terms: stems of words, words, or tokens of the model (stems)"}
        .of_words(term_kind_names)
        .for_formats({"terms"})
        .deciding(Decides::run),
    OptionOf{&TermOptions::stemmer, "stemmer", OptionGroup::output,
             "The rules for stems; none for texts in other languages than English (english)"}
        .of_words(stemmer_names)
        .for_formats({"terms"})
        .deciding(Decides::run),
    InternalOf{&TermOptions::model});
static_assert(is_whole_list<TermOptions>);

template <>
inline constexpr auto option_list<TermSearchOptions> =
    list_options(InternalOf{&TermSearchOptions::rows});
static_assert(is_whole_list<TermSearchOptions>);

template <>
inline constexpr auto option_list<SearchOptions> =
    list_options(OptionOf{&SearchOptions::expansion, "expansion", OptionGroup::search,
                          "HNSW: number of candidates that a search keeps (64)"}
                     .at_least(1)
                     .for_formats({"hnsw"}),
                 OptionOf{&SearchOptions::window, "window", OptionGroup::search,
                          "Vamana: number of candidates that a search keeps (64)"}
                     .at_least(1)
                     .for_formats({"vamana"}),
                 OptionOf{&SearchOptions::capacity, "capacity", OptionGroup::search,
                          "Vamana: number of candidates from which the hits are chosen (window)"}
                     .at_least(1)
                     .for_formats({"vamana"}),
                 OptionOf{&SearchOptions::exact, "exact", OptionGroup::search,
                          "Compare each query with every row, without the index"},
                 InternalOf{&SearchOptions::filter}, threads_option(&SearchOptions::threads));
static_assert(is_whole_list<SearchOptions>);

// The command line opens an index as SearcherOptions says, which have these options, too.
template <>
inline constexpr auto option_list<OpenOptions> = list_options(
    InternalOf{&OpenOptions::vectors},
    OptionOf{&OpenOptions::metric, "metric", OptionGroup::general,
             "The metric of an index whose file does not name one (cos)"}
        .on_command_line("")
        .of_words(metric_names),
    InternalOf{&OpenOptions::of_codes},
    OptionOf{&OpenOptions::builder, "builder", OptionGroup::general,
             "The way in which rows are added to an HNSW index (parallel)"}
        .on_command_line("")
        .in_python("")
        .of_words(builder_names),
    OptionOf{&OpenOptions::expansion_add, "expansion_add", OptionGroup::general,
             "Number of candidates kept while the links of an added row are chosen (128)"}
        .on_command_line(""));
static_assert(is_whole_list<OpenOptions>);

template <>
inline constexpr auto option_list<SearcherOptions> =
    list_options(OptionOf{&SearcherOptions::read},
                 OptionOf{&SearcherOptions::metric, "metric", OptionGroup::index,
                          "The metric of a vector set, or of an index that does not state its own: "
                          "cos, ip, l2, … (cos)"}
                     .of_words(metric_names)
                     .taking("METRIC")
                     .for_formats({"usearch", "hnsw", "vamana", "none"}),
                 OptionOf{&SearcherOptions::in_memory, "in_memory", OptionGroup::search,
                          "Read an index into memory instead of mapping it"}
                     .on_command_line("")
                     .deciding(Decides::nothing),
                 InternalOf{&SearcherOptions::filters}, force_option(&SearcherOptions::force),
                 OptionOf{&SearcherOptions::terms, "terms", OptionGroup::search,
                          "The term index of the texts (OUT.terms), for finding words, too"}
                     .taking("TERMS")
                     .deciding(Decides::nothing));
static_assert(is_whole_list<SearcherOptions>);

template <>
inline constexpr auto option_list<QueryOptions> =
    list_options(OptionOf{&QueryOptions::prompt, "prompt", OptionGroup::model,
                          "String that is put before every query (the model's prompt named query)"}
                     .taking("TEXT"),
                 OptionOf{&QueryOptions::prompt_name, "prompt_name", OptionGroup::model,
                          "Name of a prompt in the model's configuration (query)"}
                     .taking("NAME"),
                 threads_option(&QueryOptions::threads), force_option(&QueryOptions::force));
static_assert(is_whole_list<QueryOptions>);

}  // namespace embd
