#pragma once

#include <string>
#include <string_view>

#include "embd/map.h"

namespace embd {

/// Returns the data of a map in the form that its page reads (file.js): base64 of a zlib stream
/// with
///
///     u32                   bytes of the head
///     head                  a JSON object, see below
///     u16 [rows]            x, as (x − left) / step
///     u16 [rows]            y, as (y − bottom) / step
///     i16 [rows]            groups, −1 for none
///     u32 [rows, nearest]   nearest rows
///     u8 [rows, nearest]    their cosine similarities, 0 to 1 as 0 to 255
///     u32 [rows], bytes     sizes of the texts, then the texts, if there are texts
///     u32 [rows], bytes     sizes of the ids, then the ids, if there are ids
///
/// Numbers are little-endian. The head has the members rows and nearest (numbers), texts, ids and
/// scale (booleans), left, bottom and step (numbers), groups [{name, color, x, y}], by, and about.
/// No character of base64 has a meaning in HTML. Fails as map_page() does.
Result<std::string> map_payload(const RowMap& map, const MapPageOptions& options);

/// Returns a text escaped for use in HTML, XML or an attribute in double quotes. Control characters
/// and bytes that are not UTF-8, which XML cannot contain, become U+FFFD.
std::string escaped_markup(std::string_view text);

/// Fails with invalid_argument if members of a map do not fit each other.
Result<void> check_map(const RowMap& map);

}  // namespace embd
