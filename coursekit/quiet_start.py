"""Imports TensorFlow without its messages, which a notebook would show in red.

Those of the first operation can be switched off, those of the import cannot: TensorFlow's libraries
write them past Python.
"""

import os
import sys

from coursekit.checks import silenced

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
with silenced(sys.stderr):
    import tensorflow
# Nor that a function is compiled once more: the checks call a layer with inputs of many shapes.
tensorflow.get_logger().setLevel("ERROR")
