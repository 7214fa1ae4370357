#pragma once

#include "embd/convert_model.h"
#include "embd/error.h"
#include "embd/find_model.h"
#include "embd/index.h"
#include "embd/jobs.h"
#include "embd/matrix.h"
#include "embd/model.h"
#include "embd/recipe.h"
#include "embd/reranker.h"
#include "embd/terms.h"
#include "embd/vectors.h"
#include "embd/version.h"
