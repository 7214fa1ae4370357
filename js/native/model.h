#pragma once

#include "embd/model.h"
#include "js/native/handles.h"

namespace embd::js {

/// Returns the models that are open.
Handles<Model>& models();

}  // namespace embd::js
