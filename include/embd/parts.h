#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "embd/convert.h"
#include "embd/digest.h"
#include "embd/error.h"
#include "embd/output_options.h"
#include "embd/recipe.h"
#include "embd/texts.h"

// A job that is split over processes or machines: each embeds a part of the input
// (EmbedOptions.part) and says in a manifest what it made; join_parts() checks and joins them.
namespace embd {

/// The manifest of a part of a job, a file beside its vectors (docs/formats/part.md).
struct PartManifest {
  InputPart part;                  ///< the number of the part, and how many parts there are
  RowKind kind = RowKind::vector;  ///< what the rows hold
  std::string vectors;             ///< file or directory name, in the manifest's folder
  std::uint64_t rows = 0;          ///< rows of the part
  std::uint64_t first_text = 0;    ///< number of the part's first text in the whole input, from 0
  std::uint64_t texts = 0;         ///< texts of the part
  /// True if ids were given for the rows. False if the id of a row is its number in the whole
  /// input.
  bool has_ids = false;
  /// The ids of the part's first and last row; monostate if it has no rows.
  RecordId first_id = {};
  RecordId last_id = {};
  std::uint64_t input_bytes = 0;  ///< size of the whole input
  /// The SHA-256 of the whole input's bytes up to the beginning of the part's first record, and up
  /// to the end of its last record. For consecutive parts of the same input, the second hash of one
  /// part equals the first hash of the next.
  std::string input_sha256_before;
  std::string input_sha256_after;
  /// The options that affect the rows but are not in the recipe: values as JSON, by name.
  std::map<std::string, std::string> conditions;
  Digest digest = Digest();  ///< the digest of the rows before they were stored
  /// The digest of the rows in the part's file: the result of Digest::vectors_hex() for the rows as
  /// they are read from the file, 64 hex digits.
  std::string stored_digest;
  Recipe recipe;  ///< the recipe of the rows
};

/// Returns the path of the manifest for a vector file or directory OUT: OUT.part.json.
std::filesystem::path part_manifest_path(const std::filesystem::path& vectors);
/// Reads a manifest. Fails with the errors of reading files, and with bad_json, bad_type, bad_value
/// or missing for malformed content.
Result<PartManifest> read_part_manifest(const std::filesystem::path& path);

/// The result of join_parts().
struct JoinReport {
  /// A line for each part that is missing, that was given twice, or that differs from its manifest.
  /// If there is any such line, nothing was written.
  std::vector<std::string> problems;
  std::uint64_t parts = 0;   ///< parts joined; 0 if there are problems
  std::uint64_t rows = 0;    ///< rows written; 0 if there are problems
  Digest digest;             ///< the digest of all rows, added up from the parts
  ConvertReport conversion;  ///< the report on writing the output
};

/// Joins the parts of a job into the vector set that the job would have made in one run. The
/// manifests may come in any order. Before writing, it checks that each part is given exactly once,
/// that all were made with the same recipe and options, that each part continues the input where
/// the one before it ended, and that each file still holds the rows that its manifest describes.
/// Parts that are missing or damaged are listed in JoinReport::problems. Fails with
/// recipe_mismatch, naming what differs, if recipes or options differ, and with the errors of
/// reading manifests and of convert_vectors().
Result<JoinReport> join_parts(const std::vector<std::filesystem::path>& manifests,
                              const std::filesystem::path& output,
                              const OutputOptions& options = {}, std::stop_token stop = {});

}  // namespace embd
