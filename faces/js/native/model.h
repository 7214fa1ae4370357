#pragma once

#include "embd/model.h"
#include "faces/js/native/handles.h"

namespace embd::js {

/// Returns the models that are open.
Handles<Model>& models();

}  // namespace embd::js
