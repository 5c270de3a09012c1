"""The checkpoint function, as two Lambdas: `draft` calls a model, `mount` does everything else."""
