"""What the errors mean that NumPy and TensorFlow raise where an array or a tensor is misused."""

import re

# TensorFlow raises NotImplementedError where NumPy cannot read a graph, with one of these words.
_NUMPY_READS_A_GRAPH = ("Cannot convert a symbolic", "only available when eager execution")
NUMPY_IN_A_GRAPH = "NumPy cannot compute in a graph, and a model is trained in one"
# What TensorFlow then recommends would change all tensors of the notebook.
_RECOMMENDATION = re.compile(r"\s*If you are looking for numpy-related methods.*", re.DOTALL)

# By what occurs in the message of an error, what to do about it; the first that occurs counts.
_TENSOR = r"'?[\w.]*(Eager|Symbolic|Keras)Tensor'? object"
ADVICE = {
    NUMPY_IN_A_GRAPH: "A function of NumPy is applied to a tensor. A model is trained as a graph, "
    "in which tensors have no values yet. Use the function of keras.ops instead.",
    rf"{_TENSOR} has no attribute 'numpy'|not '\w*Tensor'": "The values of a tensor are asked for. "
    "A model is trained as a graph, in which tensors have no values yet. Compute with the "
    "functions of keras.ops instead.",
    rf"{_TENSOR} has no attribute '(any|all)'": "A tensor has no methods any and all. Whether a "
    "mask was given is asked by `mask is not None`; for its entries there are ops.any and ops.all.",
    rf"{_TENSOR} has no attribute": "A method of NumPy arrays is called on a tensor, which does "
    "not have it. Use the function of keras.ops instead, such as ops.sum(x, axis=-1) for "
    "x.sum(axis=-1).",
    rf"{_TENSOR} does not support item assignment": "An entry of a tensor is assigned to, but a "
    "tensor cannot be changed. Compute a new one, for example with ops.where.",
    "as a Python `bool` is not allowed": "A condition (if, while, and, or, not) depends on the "
    "values of a tensor, but in a graph they are not known yet. Use ops.where instead. Whether a "
    "mask was given is asked by `mask is not None`.",
    r"was expected to be an? \w+ tensor but is an? \w+ tensor|has type \w+ that does not match "
    r"type": "Tensors of two different types are combined. Convert one of them with ops.cast.",
    "truth value of an array|only convert a single-element|truth value of a tensor": "A condition "
    "(if, while, and, or, not) is asked of a whole array. Whether a mask was given is asked by "
    "`mask is not None`; for its entries there is np.where.",
    r"float\d*' object cannot be interpreted as an integer|a single integer, got '\d+\.|slice "
    r"indices must be integers": "A size or an index is a float. Divide whole numbers by //.",
    "'tuple' object has no attribute": "A function returned several values, a tuple, which is used "
    "as if it were one array. Take the value that you need out of it first.",
}


def is_numpy_in_a_graph(message: str) -> bool:
    """Say whether the message of a NotImplementedError is that of NumPy in a graph."""
    return any(words in message for words in _NUMPY_READS_A_GRAPH)


def advice(message: str) -> str | None:
    """Return what to do about an error with this message, None where nothing is known of it."""
    return next((said for pattern, said in ADVICE.items() if re.search(pattern, message)), None)


def without_recommendation(message: str) -> str:
    """Return the message of an error without what TensorFlow recommends and we do not."""
    return _RECOMMENDATION.sub("", message)
