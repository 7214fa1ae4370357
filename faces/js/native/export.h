#pragma once

/// Begins the definition of a function that the module exports under its own name:
/// EMBD_EXPORT(void, embd_clear)() { … }
#define EMBD_EXPORT(type, name) extern "C" __attribute__((export_name(#name))) type name
