"""all-MiniLM-L6-v2 in the file beside this one. embd.Model("all-MiniLM-L6-v2") finds it."""
