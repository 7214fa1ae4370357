"""The model all-MiniLM-L6-v2, in a file beside this module. embd.Model("all-MiniLM-L6-v2") finds it."""
