"""Left-out values of likelihoods against refits, one for every sample."""

import numpy as np
import pytest

import problems
from kernelweave.losses import Cox, Logistic, Multinomial, Poisson
from kernelweave.losses.left_out import left_out, left_out_fit


@pytest.mark.parametrize("kind", ("logistic", "cox", "poisson", "multinomial"))
@pytest.mark.parametrize("name", ("heart", "sonar", "wdbc"))
def test_within_two_percent_of_refits(name, kind):
    X, y = problems.table(name, 100)
    K, n = problems.ten_gaussians(X, "variance")[4:8].mean(axis=0), len(y)
    rng = np.random.default_rng(0)
    f = X @ rng.normal(size=X.shape[1])
    f = (f - f.mean()) / f.std()
    time, event = np.round(rng.exponential(np.exp(-f)), 1) + 0.1, rng.random(n) < 0.6
    two = np.where(y == 1, 1.0, -1.0)[:, None]
    counts = rng.poisson(np.exp(1 + f))[:, None].astype(float)
    three = np.eye(3)[np.digitize(f + 0.5 * rng.normal(size=n), [-0.5, 0.5])]
    make = {
        "logistic": lambda i, C: Logistic(two[i], C),
        "cox": lambda i, C: Cox(time[i], event[i], C),
        "poisson": lambda i, C: Poisson(counts[i], C),
        "multinomial": lambda i, C: Multinomial(three[i], C),
    }[kind]
    for C in (0.05, 1.0):
        loss = make(np.arange(n), C)
        inner = loss.inner(K)
        fit = left_out_fit(loss, K, inner.A, inner.bias)
        found, refits, losses = fit.u, np.empty(inner.A.shape), np.empty(n)
        for i in range(n):
            rows = np.delete(np.arange(n), i)
            without = make(rows, C)
            one = without.inner(K[np.ix_(rows, rows)], inner.A[rows])
            u = K[:, rows] @ one.A + one.bias
            refits[i] = u[i]
            # The loss of all samples less that of the others, by the model of these.
            if kind == "cox":
                losses[i] = loss.risk(u)[0] - without.risk(u[rows])[0]
            else:
                losses[i] = loss.losses(u)[i]
        if kind == "multinomial":
            # A constant that is added to all classes changes nothing.
            refits -= refits.mean(axis=1)[:, None]
            found = found - found.mean(axis=1)[:, None]
        size = np.linalg.norm(refits - (refits.mean() if kind == "cox" else 0.0))
        assert np.linalg.norm(found - refits) <= 0.02 * size
        assert np.linalg.norm(fit.losses - losses) <= 0.02 * np.linalg.norm(losses)
        assert fit.losses.sum() == pytest.approx(losses.sum(), rel=0.02)
        # It is no small thing: the fitted values are much further away.
        own = K @ inner.A + inner.bias
        assert np.linalg.norm(own - refits) > 3 * np.linalg.norm(found - refits)


def test_strata_are_left_out_by_themselves():
    X, _ = problems.blobs(60, seed=1)
    K, rng = X @ X.T, np.random.default_rng(0)
    time, event = rng.exponential(size=60), rng.random(60) < 0.7
    strata = np.arange(60) % 2
    loss = Cox(time, event, 0.1, strata=strata)
    inner = loss.inner(K)
    found = left_out(loss, K, inner.A, inner.bias)[:, 0]
    refits = np.empty(60)
    for i in range(60):
        rows = np.delete(np.arange(60), i)
        one = Cox(time[rows], event[rows], 0.1, strata=strata[rows])
        refits[i] = (K[i, rows] @ one.inner(K[np.ix_(rows, rows)]).A)[0]
    assert np.linalg.norm(found - refits) <= 0.02 * np.std(refits) * np.sqrt(60)
