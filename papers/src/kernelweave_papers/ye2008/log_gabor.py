"""Log-Gabor filters: one view of an image for each scale and orientation (§5.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.fft import fft2, fftfreq, ifft2

from kernelweave.problem import Array


@dataclass(frozen=True)
class LogGabor:
    """The size of an image's response to log-Gabor filters, pixel by pixel.

    At the frequency ω(cos φ, sin φ), in cycles a pixel, the filter of scale s and
    orientation o has the transfer function

        G(ω, φ) = exp(−log²(ω/ω_s)/(2 log²κ)) · exp(−(φ − φ_o)²/(2τ²)),   G(0) = 0,
        ω_s = 1/(wavelength · factor^s),    φ_o = πo/orientations,

    with φ − φ_o taken in (−π, π]. It passes one side of the plane only, so the response
    is complex, and its modulus does not depend on the phase of a wave. The print gives
    the numbers of scales and orientations; the others are usual.

    Parameters
    ----------
    scales, orientations : int
    wavelength : float
        Of the finest scale, in pixels.
    factor : float
        Between the wavelengths of neighbouring scales.
    kappa : float
        κ, between 0 and 1: the smaller the broader, 0.55 being some two octaves.
    spread : float
        τ as a multiple of π/orientations.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> views = LogGabor().views(load_digits().images[:5])
    >>> len(views), views["scale 1, 30°"].shape
    (24, (5, 64))
    """

    scales: int = 4
    orientations: int = 6
    wavelength: float = 3.0
    factor: float = 2.0
    kappa: float = 0.55
    spread: float = 2 / 3

    def __post_init__(self) -> None:
        if self.scales < 1 or self.orientations < 1:
            raise ValueError(
                "LogGabor needs at least one scale and one orientation, got "
                f"{self.scales} and {self.orientations}"
            )
        if not (self.wavelength >= 2 and 0 < self.kappa < 1 and self.spread > 0):
            raise ValueError(
                "LogGabor needs wavelength ≥ 2 pixels, 0 < kappa < 1 and spread > 0, "
                f"got {self.wavelength}, {self.kappa} and {self.spread}"
            )

    @property
    def names(self) -> list[str]:
        """A name for each filter, such as "scale 1, 30°", finest scale first."""
        angles = [180 * o / self.orientations for o in range(self.orientations)]
        return [
            f"scale {s + 1}, {angle:g}°" for s in range(self.scales) for angle in angles
        ]

    def filters(self, shape: tuple[int, int]) -> Array:
        """G for images of this shape, (scales · orientations, *shape), 0 at [0, 0]."""
        v, u = np.meshgrid(fftfreq(shape[0]), fftfreq(shape[1]), indexing="ij")
        omega, phi = np.hypot(u, v), np.arctan2(v, u)
        omega[0, 0] = 1.0
        width = self.spread * np.pi / self.orientations
        out = []
        for s in range(self.scales):
            ratio = omega * self.wavelength * self.factor**s
            radial = np.exp(-(np.log(ratio) ** 2) / (2 * np.log(self.kappa) ** 2))
            radial[0, 0] = 0.0
            for o in range(self.orientations):
                away = phi - np.pi * o / self.orientations
                away = np.angle(np.exp(1j * away))
                out.append(radial * np.exp(-(away**2) / (2 * width**2)))
        return np.stack(out)

    def views(self, images: Array) -> dict[str, Array]:
        """Name → responses (n, height · width), for images (n, height, width)."""
        images = np.asarray(images, dtype=float)
        if images.ndim != 3:
            raise ValueError(
                "LogGabor takes grey images as an array (n, height, width), got shape "
                f"{images.shape}"
            )
        spectra = fft2(images)
        filters = self.filters((images.shape[1], images.shape[2]))
        return {
            name: np.abs(ifft2(spectra * G)).reshape(len(images), -1)
            for name, G in zip(self.names, filters, strict=True)
        }
