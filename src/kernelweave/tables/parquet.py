"""Tables in Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import TableError
from .exact import rounded_columns
from .packages import no_reader

if TYPE_CHECKING:
    import pandas as pd


def parquet_schema(path: Path) -> Any:
    """The names and types of its columns."""
    try:
        from pyarrow import parquet

        return parquet.read_schema(path)
    except ImportError:
        raise no_reader(path, ".parquet") from None
    except (ValueError, OSError) as error:
        raise TableError(f"{path} is no Parquet file: {error}") from error


def read_parquet(path: Path) -> pd.DataFrame:
    """The table; an index that has a name is a column."""
    import pandas as pd

    try:
        table = pd.read_parquet(path)
        rounded = rounded_columns(table)
        if rounded:
            kept: Any = {"dtype_backend": "numpy_nullable"}
            as_is = pd.read_parquet(path, columns=rounded, **kept)
            for name in rounded:
                table[name] = as_is[name].array
        named = [name for name in table.index.names if name is not None]
        return table.reset_index(named) if named else table
    except ImportError:
        raise no_reader(path, ".parquet") from None
    # What pyarrow raises for a damaged file is a subclass of ValueError or OSError.
    except (ValueError, OSError) as error:
        raise TableError(f"{path} is no Parquet file: {error}") from error
