"""Results that nobody expects, and that some answers return."""

import numpy as np

# What comes of an iteration that explodes, of an overflow, of a type that is too small, of objects.
EXTREME = {
    "huge": lambda x: np.full(x.shape, 1e200),
    "the largest float": lambda x: np.full(x.shape, np.finfo(float).max),
    "exploded": lambda x: x * 1e160,
    "tiny": lambda x: -np.abs(x) * 1e-311,
    "one tiny number": lambda x: np.where(np.arange(x.size).reshape(x.shape) == 0, -1e-310, x),
    "infinite": lambda x: np.full(x.shape, -np.inf),
    "not a number": lambda x: np.full(x.shape, np.nan),
    "half precision": lambda x: (1e3 * x).astype(np.float16),
    "long": lambda x: 2 * x.astype(np.longdouble),
    "unsigned": lambda x: np.abs(x).astype(np.uint8),
    "truth values": lambda x: x > 0,
    "complex": lambda x: x + 1e200j,
    "objects": lambda x: (1e200 * x).astype(object),
    "dates": lambda x: x.astype("M8[s]"),
    "empty": lambda x: x[:0] if x.ndim else x[None][:0],
}
