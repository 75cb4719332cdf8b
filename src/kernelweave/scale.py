"""`kernelweave.streamed` under the name that it had before."""

from .streamed import ArraySource, FileSource, FunctionSource, Source, fit_chunks

__all__ = ["ArraySource", "FileSource", "FunctionSource", "Source", "fit_chunks"]
