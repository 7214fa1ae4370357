"""embd in other packages, in the form that each documents. A module here imports the package that it is named for."""
