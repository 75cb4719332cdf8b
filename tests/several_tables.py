"""Tables of the same samples in different orders, one of which lacks some samples."""

import numpy as np
import pandas as pd

N = 60
IDS = [f"p{i:03d}" for i in range(N)]
CLASSES = np.arange(N) % 3
RNG = np.random.default_rng(0)

LABEL = pd.Series(np.array(["a", "b", "c"])[CLASSES], IDS, name="label")
CLINIC = pd.DataFrame(
    {
        "age": RNG.normal(60, 10, N),
        "sex": RNG.choice(["f", "m"], N),
        "size": CLASSES + RNG.normal(0, 0.5, N),
    },
    index=IDS,
)
ALL_RNA = pd.DataFrame(
    RNG.normal(size=(N, 4)) + CLASSES[:, None], index=IDS, columns=list("abcd")
)
RNA = ALL_RNA.sample(N, random_state=0)
SOME_RNA = RNA.iloc[:50]
