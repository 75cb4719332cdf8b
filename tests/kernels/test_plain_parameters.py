"""Labels and copies of kernels are those of scikit-learn's repr and clone."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import clone

from kernelweave.kernels import RBF, Laplacian, Linear, Nystroem, Overlap, Polynomial
from kernelweave.kernels.base import Kernel
from kernelweave.kernels.plain_parameters import fresh, label_of


class Own(Linear):
    """A user's kernel with an __init__ of its own."""

    def __init__(self, power=2):
        super().__init__()
        self.power = power


@dataclass(eq=False, repr=False)
class OwnDataclass(Kernel):
    power: float = 2.0
    columns: object = None
    name: object = None


KERNELS = [
    RBF(),
    RBF(gamma=0.5),
    RBF(gamma=np.float64(0.5), factor=2),
    RBF(columns=["a", "b"], scale="rank"),
    RBF(columns=list(range(900))),
    RBF(columns=slice(0, 3), missing="mean"),
    RBF(columns="a  b"),
    Laplacian(gamma="median"),
    Polynomial(degree=3, coef0=0.0),
    Overlap(columns=[0]),
    Nystroem(RBF(gamma=0.1), n_components=7),
    Own(power=3),
    OwnDataclass(),
    OwnDataclass(power=3.0),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: repr(kernel)[:40])
def test_the_label_is_what_repr_says(kernel):
    assert label_of(kernel) == " ".join(repr(kernel).split())


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: repr(kernel)[:40])
def test_a_fresh_kernel_is_a_clone(kernel):
    kernel.columns_ = None
    ours, theirs = fresh(kernel), clone(kernel)
    assert type(ours) is type(theirs)
    assert vars(ours).keys() == vars(theirs).keys()
    assert repr(ours) == repr(theirs)
    assert not hasattr(ours, "columns_")
