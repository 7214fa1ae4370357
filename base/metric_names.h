#pragma once

#include "embd/enum_names.h"
#include "embd/index_options.h"

namespace embd {

/// The words for metrics. If a metric has two words, options show the first and files contain the
/// last.
inline constexpr EnumNames<Metric, 11> metric_names = {{{"l2", Metric::l2sq},
                                                        {"cos", Metric::cos},
                                                        {"ip", Metric::ip},
                                                        {"l2sq", Metric::l2sq},
                                                        {"pearson", Metric::pearson},
                                                        {"haversine", Metric::haversine},
                                                        {"divergence", Metric::divergence},
                                                        {"hamming", Metric::hamming},
                                                        {"tanimoto", Metric::tanimoto},
                                                        {"sorensen", Metric::sorensen},
                                                        {"jaccard", Metric::jaccard}}};

}  // namespace embd
