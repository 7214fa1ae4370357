#pragma once

#include <stop_token>

#include "jobs/convert/row_parts.h"
#include "jobs/joined_sets.h"
#include "jobs/outputs/outputs.h"

namespace embd {

/// Copies the rows `taken` of all sets, one set after the other, to `outputs`, with everything that
/// belongs to them. `ids` are the ids of these rows, or none. Fails with the errors of reading and
/// writing, and with cancelled.
Result<void> copy_rows(const Readers& sets, RowRange taken, const Ids& ids, const RowParts& parts,
                       Outputs& outputs, const std::stop_token& stop);

}  // namespace embd
