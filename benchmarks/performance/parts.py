"""The parts of the benchmark, in the order in which they run."""

import choosing
import fits
import hinge
import many
import many_hinge
import peers
import phases
from common import Part

PARTS = {
    "floors": Part(
        fits.floors,
        fits.COLUMNS,
        "More samples",
        "waveform, scaled (beyond its 5000 rows: rows drawn again, plus noise), ten "
        "RBF kernels of 0.1 to 10 times the median distance, three classes. `fit` is "
        "`MKLDiscriminantAnalysis(kernels).fit(X, y)` from the table, at its "
        "defaults. `solve` is the same problem on a `LazyStack`, which is made within "
        "the time.",
    ),
    "kernels": Part(
        fits.kernels,
        fits.COLUMNS,
        "More kernels",
        "The same with p RBF kernels between the same widths.",
    ),
    "classes": Part(
        fits.classes,
        fits.COLUMNS,
        "More classes",
        "The first k letters of letter, at most 2000 rows: of two letters there are "
        "fewer, see n.",
    ),
    "many": Part(
        many.many,
        many.COLUMNS,
        "Thousands of small kernels",
        "RBF kernels on random columns, of random widths, stored. `solve` to a gap of "
        "1e-5, in units of reading the stack once: `np.sum(K)`, and s(A) for one A.",
    ),
    "hinge": Part(
        hinge.hinge,
        hinge.COLUMNS,
        "Support vector machines",
        "spambase, scaled, two classes, ten RBF kernels of widths 2⁻³ to 2⁶, C = 10. "
        "`MKLSVC(kernels, C=10, tol=1e-3).fit(X, y)` from the table, in units of one "
        "`SVC(kernel='precomputed', C=10).fit` on the average kernel, which is given. "
        "`solve` starts from the stored stack.",
    ),
    "many_hinge": Part(
        many_hinge.many_hinge,
        many_hinge.COLUMNS,
        "Hundreds of kernels of a support vector machine",
        "sonar, 104 rows, 793 kernels, stored: Gaussians and polynomials on all "
        "columns and on each. `solve` to a gap of 1e-3, in units of one "
        "`SVC(kernel='precomputed').fit` on the average kernel; on the ℓ2 ball also by "
        "first-order solvers.",
    ),
    "choosing": Part(
        choosing.choosing,
        choosing.COLUMNS,
        "Choosing a support vector machine",
        "Three views of six kernels each (`number_kernels`). "
        "`MKLSVCCV(kernels).fit` at its defaults, in units of `GridSearchCV` over four "
        "C and four widths of one `SVC` on the standardised columns; both have five "
        "folds, and fit the chosen point to all rows. Beside it "
        "`MKLDiscriminantAnalysisCV(kernels).fit`. `gap` is that of the last fit. "
        "Scores were used to choose, so they flatter.",
    ),
    "profile": Part(
        phases.profile,
        phases.COLUMNS,
        "Where the time goes",
        "The default fit of the first table by phase, timed from outside. Up to "
        "1800 rows the ten Gram matrices are stored, beyond they are computed "
        "whenever they are needed.",
    ),
    "peers": Part(
        peers.peers,
        peers.COLUMNS,
        "Against others",
        "The kernels of the first table. All methods are at their defaults and get "
        "ready-made Gram matrices, centred and scaled, but those that start from the "
        "table: our default, which is the unit of `x default` and is run again around "
        "every run of every method, and the grid searches over the ten kernels, 5 "
        "folds. The gap is that of the square-loss problem on the simplex at the "
        "weights that the method found (ℓ2 ball: of the problem on that); '-' where it "
        f"solves another problem. A method that is expected to take over "
        f"{peers.PATIENCE:g} s, by its growth so far, is skipped; one that takes over "
        f"{peers.ONCE_OVER:g} s runs once.",
    ),
}
