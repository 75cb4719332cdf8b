"""Two tables of the same samples, as a user of the command line may have."""

import numpy as np
import pandas as pd

# The arguments of a command on both.
BOTH = ("clinic.csv", "rna.csv", "--id", "sample", "--target", "label")


def tables(n=60):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    ids = [f"p{i:03d}" for i in range(n)]
    clinic = pd.DataFrame(
        {
            "sample": ids,
            "label": np.array(["basal", "her2", "lumA"])[y],
            "age": rng.normal(60, 10, n).round(1),
            "size": (y + rng.normal(0, 0.5, n)).round(3),
        }
    )
    rna = pd.DataFrame(rng.normal(size=(n, 4)) + y[:, None], columns=list("abcd"))
    rna.insert(0, "sample", ids)
    return clinic, rna.round(3)
