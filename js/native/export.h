#pragma once

/// A function that the module exports under its own name: EMBD_EXPORT(embd_about)() { … }
#define EMBD_EXPORT(type, name) extern "C" __attribute__((export_name(#name))) type name
