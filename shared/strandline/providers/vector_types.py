"""Array types, in a module of their own so that annotations don't make handlers import numpy."""

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Float32 vectors: of shape (n, dimensions), or one of shape (dimensions,)."""
