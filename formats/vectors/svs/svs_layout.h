#pragma once

#include <cstdint>
#include <string_view>

// Constants of SVS files, with the names of docs/formats/svs.md.

namespace embd::svs {

// The binary file: magic, UUID (reversed), rows, columns, zeros up to the size of the header, then
// the rows.
inline constexpr std::uint64_t v1_magic = 0xcad4a6b2579980fe;
inline constexpr std::uint64_t v1_header_bytes = 1024;
inline constexpr std::uint64_t vtest_magic = 0xf83ad4901d434f04;
inline constexpr std::uint64_t vtest_header_bytes = 64;
inline constexpr std::uint64_t database_magic = 0x26b0644ab838c3a3;
inline constexpr std::uint64_t stream_magic = 0x5356535f5354524d;  // A whole index in one stream.
inline constexpr std::uint64_t uuid_offset = 8;   // Where the UUID is in a V1 header.
inline constexpr std::uint64_t rows_offset = 24;  // Where the number of rows is in a V1 header.
// Where the number of columns is in a V1 header.
inline constexpr std::uint64_t columns_offset = 32;

// The TOML file of a directory.
inline constexpr std::string_view config_name = "svs_config.toml";
// As the SVS library numbers its files.
inline constexpr std::string_view data_name = "data_0.svs";
inline constexpr std::string_view envelope_version = "v0.0.2";
inline constexpr std::string_view legacy_envelope_version =
    "v0.0.1";  // As the current version, but without __schema__.

// A table that embd adds to config/svs_config.toml and the SVS library ignores. It has the metric
// that an index was built for.
inline constexpr std::string_view embd_table = "embd";
inline constexpr std::string_view metric_key = "metric";

}  // namespace embd::svs
