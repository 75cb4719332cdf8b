"""Model files: a skops archive with a manifest, checked before anything is built.

A file is a zip archive that holds what `skops.io.dump` writes (arrays as .npy, the rest
as JSON: no pickle) and `kernelweave.json`: the format, the versions, what the caller
wanted to remember, and a checksum of all of it. `load` refuses, in this order, what is
no such archive, what comes from another format, what was changed, and what holds a
type that is not on the list of `trusted_types`. Only then are objects made.
"""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from .. import __version__
from ..arrays import on_host
from ..kernels import FunctionKernel
from .atomic import written_whole
from .manifest import ModelFileError, checked, first_line, with_manifest
from .trusted_classes import check_own, named, own_classes, trusted_types


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    trusted: Iterable[type | str] = (),
    **metadata: Any,
) -> None:
    """Write a fitted model to a file that `load` reads.

    Parameters
    ----------
    model : estimator
        Of kernelweave, or an estimator of scikit-learn with one inside: a Pipeline, a
        search, calibration, a vote, a stack, one against the rest, several outputs, a
        transformed target. Arrays of PyTorch or CuPy are saved as those of NumPy.
    path : path
        By convention it ends with .skops. It appears when it is complete.
    trusted : list of classes, or of their names "module.Class"
        Classes of your own that the model holds, such as a kernel; `load` needs the
        same list. They stand at the top level of a module that it can import.
    **metadata
        What else to remember, of JSON's types: `metadata(path)` gives it back.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> path = Path(tempfile.mkdtemp()) / "iris.skops"
    >>> save(MKLDiscriminantAnalysis().fit(X, y), path, target="species")
    >>> bool(load(path).score(X, y) > 0.9), metadata(path)
    (True, {'target': 'species'})
    """
    import skops.io

    check_is_fitted(model)
    own = own_classes(trusted)
    content = skops.io.dumps(on_host(model), compression=zipfile.ZIP_DEFLATED)
    held = skops.io.get_untrusted_types(data=content)
    foreign = _foreign(held, own)
    if foreign:
        found = hasattr(model, "best_estimator_")
        alone = "; or save the search's best_estimator_ alone" if found else ""
        raise ModelFileError(_refusal(foreign, held) + alone)
    check_own(held, own)
    if set(held) & set(own):
        try:
            _built(content, own)
        except Exception as error:
            raise ModelFileError(
                f"the model could not be read again: {first_line(error)}. Its own "
                "classes must be made anew by their __dict__, or by __getstate__ and "
                "__setstate__"
            ) from error
    with written_whole(path) as part:
        part.write_bytes(with_manifest(content, metadata))


def load(path: str | os.PathLike[str], *, trusted: Iterable[type | str] = ()) -> Any:
    """The model that `save` wrote, or a `ModelFileError` that says what is wrong.

    Nothing of a file that is refused is run.

    Parameters
    ----------
    path : path
    trusted : list of classes, or of their names "module.Class"
        Classes of your own that the file may hold beside those of kernelweave. Making
        them runs their code: trust what you know.

    Returns
    -------
    estimator
        It predicts exactly what the saved one did.

    Examples
    --------
    >>> import tempfile
    >>> from kernelweave import MKLRidge
    >>> path = Path(tempfile.mkdtemp()) / "line.skops"
    >>> save(MKLRidge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]), path)
    >>> type(load(path)).__name__
    'MKLRidge'
    """
    own = own_classes(trusted)
    content, manifest = checked(Path(path))
    # After the checks: it imports all of scikit-learn, which takes seconds.
    import skops.io

    try:
        held = skops.io.get_untrusted_types(data=content)
        foreign = _foreign(held, own)
        if foreign:
            raise ModelFileError(
                f"{path} is refused: it holds {_listed(foreign)}, which no model of "
                "kernelweave does. If it is a class of your own, say so: "
                f"load(path, trusted=[{foreign[0]!r}])"
            )
        check_own(held, own)
        return _built(content, own)
    except ModelFileError:
        raise
    except Exception as error:
        # The checksum is right, so the file is as it was written, by other code.
        raise ModelFileError(
            f"{path} was written by kernelweave {manifest['kernelweave']} and cannot "
            f"be read by {__version__}: {first_line(error)}. Fit the model again"
        ) from error


def metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What `save` was asked to remember.

    Parameters
    ----------
    path : path

    Returns
    -------
    dict

    Examples
    --------
    >>> import tempfile
    >>> from kernelweave import MKLRidge
    >>> path = Path(tempfile.mkdtemp()) / "line.skops"
    >>> model = MKLRidge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> save(model, path, unit="mm")
    >>> metadata(path)
    {'unit': 'mm'}
    """
    return checked(Path(path))[1]["metadata"]


def _foreign(held: list[str], own: Iterable[str]) -> list[str]:
    """Names of what a model file holds that nobody trusts."""
    trusted = {*trusted_types(), *own}
    return [name for name in held if name not in trusted]


def _built(content: bytes, own: Iterable[str]) -> Any:
    """The model, of types that were looked at."""
    import skops.io

    return skops.io.loads(content, trusted=[*trusted_types(), *own])


def _refusal(foreign: list[str], held: list[str]) -> str:
    """Why a model that holds these types is not saved."""
    classes = [name for name in foreign if isinstance(_loaded(name), type)]
    if len(classes) < len(foreign):
        others = [name for name in foreign if name not in classes]
        refused = f"the model holds {_listed(others)}, which a model file must not: "
        if f"{FunctionKernel.__module__}.{FunctionKernel.__name__}" in held:
            return (
                f"{refused}in the place of a kernel that is a function define a kernel "
                "class with compare(X, Y), at the top level of a module, and pass "
                "trusted=[the class]"
            )
        return (
            f"{refused}name the columns of kernels in a list or a slice, not by a "
            "function, and scores by a text such as 'r2'; define classes of your own "
            "at the top level of a module"
        )
    short = ", ".join(name.rpartition(".")[2] for name in classes)
    return (
        f"the model holds {_listed(classes)}, which is not of kernelweave: pass "
        f"trusted=[{short}] to save it, and again to load it"
    )


def _loaded(name: str) -> Any:
    """What has this name, if its module is loaded."""
    return named(name) if name.rpartition(".")[0] in sys.modules else None


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
