"""Array types. Apart, so that naming them doesn't make a handler's import load numpy."""

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Rows of vectors, or one vector."""
