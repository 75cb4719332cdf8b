"""Is the combination of views better than one of them, or than their average?

>>> from sklearn.datasets import load_wine
>>> from kernelweave import MKLDiscriminantAnalysis
>>> from kernelweave.kernels import RBF, Linear
>>> X, y = load_wine(return_X_y=True, as_frame=True)
>>> X = (X - X.mean()) / X.std()
>>> phenols, colour = slice("total_phenols", "proanthocyanins"), ["color_intensity"]
>>> model = MKLDiscriminantAnalysis([RBF(columns=phenols, name="phenols: rbf"),
...                                  Linear(columns=phenols, name="phenols: linear"),
...                                  RBF(columns=colour, name="colour: rbf")])
>>> print(evaluate(model, X, y, repeats=3))
accuracy, 5 folds, 3 times            pooled   95 % interval
learned combination                    0.918   0.846 to 0.971
plain average                          0.912   0.839 to 0.967
phenols alone                          0.822   0.732 to 0.898
colour alone                           0.755   0.654 to 0.844
chance                                 0.399
The combination is better than the best single view (phenols) by 9.6 points,
95 % interval 0.9 to 18.0.
"""

from .answer import Evaluation
from .comparison import Comparison, Row
from .cross_validation import evaluate
from .interval import Interval, corrected_interval, sample_interval
from .left_out import LeftOut
from .measures import Gain

__all__ = [
    "Comparison",
    "Evaluation",
    "Gain",
    "Interval",
    "LeftOut",
    "Row",
    "corrected_interval",
    "evaluate",
    "sample_interval",
]
