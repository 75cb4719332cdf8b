"""Model files that are checked before they are read, and files that are whole."""

from .manifest import ModelFileError
from .model_file import load, metadata, save
from .trusted_classes import trusted_types

__all__ = ["ModelFileError", "load", "metadata", "save", "trusted_types"]
