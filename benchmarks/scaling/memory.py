"""Memory of this process, as Linux counts it.

Not `ru_maxrss`: a new process inherits that of the one that started it.
"""

from pathlib import Path


def held() -> float:
    """Bytes that are held now."""
    return _status("VmRSS")


def peak() -> float:
    """The most bytes since `forget_peak`, or since the process began."""
    return _status("VmHWM")


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    value = next(line.split()[1] for line in lines if line.startswith(f"{name}:"))
    return 1024 * float(value)
