#pragma once

// Whole jobs: texts to files of vectors or of scores, and what is done with such files.

#include "embd/cluster.h"
#include "embd/collect.h"
#include "embd/convert.h"
#include "embd/dedupe.h"
#include "embd/digest.h"
#include "embd/embed_file.h"
#include "embd/get_model.h"
#include "embd/inspect.h"
#include "embd/lock.h"
#include "embd/map.h"
#include "embd/neighbours.h"
#include "embd/parts.h"
#include "embd/rerank.h"
#include "embd/searcher.h"
#include "embd/split.h"
#include "embd/texts.h"
#include "embd/verify.h"
