#pragma once

#include <stop_token>

#include "jobs/convert/row_parts.h"
#include "jobs/joined_sets.h"
#include "jobs/outputs/outputs.h"

namespace embd {

/// Copies rows `taken` of all sets, one set after the other, to `outputs`, with what belongs to
/// them. `ids`: of these rows, or none. Errors: those of reading and writing; cancelled.
Result<void> copy_rows(const Readers& sets, RowRange taken, const Ids& ids, const RowParts& parts,
                       Outputs& outputs, const std::stop_token& stop);

}  // namespace embd
