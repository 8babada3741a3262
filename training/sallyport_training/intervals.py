"""Confidence bounds: Wilson intervals for rates, distribution-free upper bounds for quantiles."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import binom


def wilson(hits: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """The two-sided 95 % Wilson interval of hits/n; (0, 1) when n is 0."""
    if n == 0:
        return 0.0, 1.0
    p = hits / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def quantile_bound(values: np.ndarray, q: float, confidence: float = 0.95) -> tuple[float, bool]:
    """A value that is at least the q-quantile of the population with the given confidence.

    It is an order statistic of the sample. With too few values for the level even the largest one
    does not reach the confidence; then it is returned together with False.
    """
    x = np.sort(np.asarray(values, dtype=float))
    n = len(x)
    if n == 0:
        return 1.0, False
    k = int(binom.ppf(confidence, n, q)) + 1  # smallest k with P(Bin(n, q) < k) >= confidence
    if k > n:
        return float(x[-1]), False
    return float(x[k - 1]), True
