"""Linear support vector machines, in the primal and in the dual."""
