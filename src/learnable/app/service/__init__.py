"""`learnable serve`: one model behind HTTP, with limits that name their flags and nothing that a request can reach."""
