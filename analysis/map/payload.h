#pragma once

#include <string>

#include "embd/map.h"

namespace embd {

/// Returns the data of a map as its page reads them (file.js): base64 of a zlib stream of
///
///   u32        bytes of the head
///   head       JSON: rows, nearest, texts, ids, scale (booleans), left, bottom, step, groups
///   [{name,
///              color, x, y}], by, about
///   u16 [rows]            x, as (x − left) / step
///   u16 [rows]            y, as (y − bottom) / step
///   i16 [rows]            groups, −1 for none
///   u32 [rows, nearest]   rows
///   u8 [rows, nearest]    cosines, 0 to 1 as 0 to 255
///   u32 [rows], bytes     sizes of the texts, then the texts, where there are some
///   u32 [rows], bytes     the same of the ids
///
/// with little-endian numbers. Base64 has no character that means anything in HTML. Errors: those
/// of map_page().
Result<std::string> map_payload(const RowMap& map, const MapPageOptions& options);

/// Returns invalid_argument unless the parts of a map fit each other.
Result<void> check_map(const RowMap& map);

}  // namespace embd
