"""Attention that reads keys and values in tiles and never holds the whole matrix of scores."""

import numpy as np


def attend(q: np.ndarray, k: np.ndarray, v: np.ndarray, size: int = 64) -> np.ndarray:
    """Attend to k (time_k, d) and v (time_k, d_v) in tiles → (time_q, d_v), without a mask.

    Scores are divided by √d. The outputs of two tiles are joined by the logarithms of their sums of
    exponentials, which is another form of the running softmax.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    out, log_total = np.zeros((len(q), v.shape[1])), np.full((len(q), 1), -np.inf)
    for start in range(0, len(k), size):
        e = q @ k[start : start + size].T / np.sqrt(q.shape[1])
        top = e.max(axis=1, keepdims=True)
        p = np.exp(e - top)
        log_tile = top + np.log(p.sum(axis=1, keepdims=True))
        joined = np.logaddexp(log_total, log_tile)
        out = out * np.exp(log_total - joined) + p @ v[start : start + size] * np.exp(top - joined)
        log_total = joined
    return out
