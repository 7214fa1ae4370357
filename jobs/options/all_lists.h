#pragma once

#include "jobs/options/analysis_list.h"
#include "jobs/options/embed_list.h"
#include "jobs/options/get_model_list.h"
#include "jobs/options/job_lists.h"
#include "jobs/options/load_list.h"
#include "jobs/options/pairs_list.h"
#include "jobs/options/score_list.h"
#include "jobs/options/search_list.h"

namespace embd {

/// Calls visit.operator()<Options>(name) for each structure of options that has a list. `name` is
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
  visit.template operator()<SearchOptions>("SearchOptions");
  visit.template operator()<QueryOptions>("QueryOptions");
  visit.template operator()<DedupeOptions>("DedupeOptions");
  visit.template operator()<ClusterOptions>("ClusterOptions");
  visit.template operator()<GetModelOptions>("GetModelOptions");
}

}  // namespace embd
