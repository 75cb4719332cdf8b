"""Model files: a skops archive with a manifest, checked before anything is built.

A file is a zip archive that holds what `skops.io.dump` writes (arrays as .npy, the rest
as JSON: no pickle) and `kernelweave.json`: the format, the versions, what the caller
wanted to remember, and a checksum of all of it. `load` refuses, in this order, what is
no such archive, what comes from another format, what was changed, and what holds a
type that is not on the list of `trusted_types`. Only then are objects made.
"""

from __future__ import annotations

import copy
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from . import __version__
from .archive import check_text, checksum, directory, is_sealed, read_text, sealed
from .arrays import on_host
from .atomic import written_whole
from .trusted import trusted_types

FORMAT = 1
MANIFEST = "kernelweave.json"
SCHEMA = "schema.json"


class ModelFileError(ValueError):
    """A model file that cannot be read, or must not be.

    Examples
    --------
    >>> load("nowhere.skops")
    Traceback (most recent call last):
        ...
    kernelweave.persist.ModelFileError: there is no model file nowhere.skops
    """


def save(model: Any, path: str | os.PathLike[str], **metadata: Any) -> None:
    """Write a fitted model to a file that `load` reads.

    Parameters
    ----------
    model : estimator
        Of kernelweave, or a Pipeline of scikit-learn with one. Arrays of PyTorch or
        CuPy are saved as those of NumPy.
    path : path
        By convention it ends with .skops. It appears when it is complete.
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
    content = skops.io.dumps(
        _with_solutions(on_host(model), _status_to_name),
        compression=zipfile.ZIP_DEFLATED,
    )
    foreign = _foreign_types(content)
    if foreign:
        raise ModelFileError(
            f"the model holds {_listed(foreign)}, which a model file must not: name "
            "the columns of kernels in a list or a slice, not by a function, and use "
            "kernels of kernelweave.kernels"
        )
    # As it will be read, for the checksum: keys that are numbers become text.
    remembered = json.loads(json.dumps(metadata))
    manifest = {
        "format": FORMAT,
        "kernelweave": __version__,
        "metadata": remembered,
    }
    archive = io.BytesIO(content)
    with zipfile.ZipFile(archive, "a", compression=zipfile.ZIP_DEFLATED) as file:
        checked = manifest | {"sha256": checksum(manifest, content)}
        file.writestr(MANIFEST, json.dumps(checked, indent=2, ensure_ascii=False))
    with written_whole(path) as part:
        part.write_bytes(sealed(archive.getvalue()))


def load(path: str | os.PathLike[str]) -> Any:
    """The model that `save` wrote, or a `ModelFileError` that says what is wrong.

    Nothing of a file that is refused is run.

    Parameters
    ----------
    path : path

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
    content, manifest = _checked(Path(path))
    # After the checks: it imports all of scikit-learn, which takes seconds.
    import skops.io

    try:
        foreign = _foreign_types(content)
        if foreign:
            raise ModelFileError(
                f"{path} is refused: it holds {_listed(foreign)}, which no model of "
                "kernelweave does"
            )
        model = skops.io.loads(content, trusted=trusted_types())
        return _with_solutions(model, _name_to_status)
    except ModelFileError:
        raise
    except Exception as error:
        # The checksum is right, so the file is as it was written, by other code.
        raise ModelFileError(
            f"{path} was written by kernelweave {manifest['kernelweave']} and cannot "
            f"be read by {__version__}: {_first_line(error)}. Fit the model again"
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
    return _checked(Path(path))[1]["metadata"]


def _with_solutions(model: Any, change: Callable[[Any], Any]) -> Any:
    """A shallow copy of the model, its solutions changed."""
    model = copy.copy(model)
    if isinstance(model, Pipeline):
        model.steps = [(name, _with_solutions(s, change)) for name, s in model.steps]
    if hasattr(model, "solution_"):
        several = isinstance(model.solution_, tuple)
        model.solution_ = (
            tuple(map(change, model.solution_)) if several else change(model.solution_)
        )
    return model


# skops knows no enumerations, and names outlive their explanations.
def _status_to_name(solution: Any) -> Any:
    return replace(solution, status=solution.status.name)


def _name_to_status(solution: Any) -> Any:
    from .solve import Status
    from .solvers.tied import Ending, TiedSolution

    kind = Ending if isinstance(solution, TiedSolution) else Status
    return replace(solution, status=kind[str(solution.status)])


def _foreign_types(content: bytes) -> list[str]:
    import skops.io

    trusted = set(trusted_types())
    return [
        name
        for name in skops.io.get_untrusted_types(data=content)
        if name not in trusted
    ]


def _checked(path: Path) -> tuple[bytes, dict[str, Any]]:
    """The bytes of a file of ours, unchanged since it was written; and its manifest."""
    content = _content(path)
    try:
        names, comment = directory(content)
        # The checksum is of the parts; the seal is also of the headers between them.
        ours = MANIFEST in names or not comment.strip(b"0123456789abcdef")
        if comment and ours and not is_sealed(content):
            raise zipfile.BadZipFile("its seal does not match")
        if MANIFEST not in names:
            what = "a skops file" if SCHEMA in names else "a zip archive"
            raise ModelFileError(
                f"{path} is {what}, but was not written by kernelweave: it has no "
                f"{MANIFEST}"
            )
        if SCHEMA in names:
            check_text(content, SCHEMA)
        return content, _manifest(path, content)
    except ModelFileError:
        raise
    except MemoryError as e:
        raise ModelFileError(f"{path} is too large: {_first_line(e)}") from e
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as e:
        raise ModelFileError(
            f"{path} is damaged or cut short ({_first_line(e)}): copy it again, or fit "
            "the model again"
        ) from e


def _content(path: Path) -> bytes:
    """The bytes of a file that begins as a zip archive does."""
    try:
        with open(path, "rb") as file:
            start = file.read(2)
            if start == b"PK":
                return start + file.read()
    except FileNotFoundError:
        raise ModelFileError(f"there is no model file {path}") from None
    except IsADirectoryError:
        raise ModelFileError(f"{path} is a folder, not a model file") from None
    what = "a pickle, which can run any code" if start[:1] == b"\x80" else None
    raise ModelFileError(
        f"{path} is {what or 'no model file'}; kernelweave reads only what "
        "`kernelweave fit -o` or kernelweave.persist.save wrote"
    )


def _manifest(path: Path, content: bytes) -> dict[str, Any]:
    changed = ModelFileError(
        f"{path} was changed after it was written (its checksum does not match): do "
        "not use it; get it again, or fit the model again"
    )
    text = read_text(content, MANIFEST)
    try:
        manifest = json.loads(text)
        version, writer = int(manifest["format"]), str(manifest["kernelweave"])
    except (ValueError, TypeError, KeyError):
        raise changed from None
    if version != FORMAT:
        remedy = "update kernelweave" if version > FORMAT else "fit the model again"
        raise ModelFileError(
            f"{path} has model format {version}, written by kernelweave {writer}; "
            f"this is kernelweave {__version__}, which reads format {FORMAT}: {remedy}"
        )
    if manifest.pop("sha256", None) != checksum(manifest, content, without=MANIFEST):
        raise changed
    return manifest


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
