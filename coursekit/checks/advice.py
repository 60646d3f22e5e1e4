"""What the errors mean that are raised where an array, a tensor or a variable is misused."""

import re

# TensorFlow raises NotImplementedError where NumPy cannot read a graph, with one of these words.
_NUMPY_READS_A_GRAPH = ("Cannot convert a symbolic", "only available when eager execution")
NUMPY_IN_A_GRAPH = "NumPy cannot compute in a graph, and a model is trained in one"
# What TensorFlow recommends for NumPy's methods would change all tensors of the notebook. It adds
# its own names of the function, of the device and of the place in a graph.
_RECOMMENDATION = r"\s*If you are looking for numpy-related methods(?s:.*)"
_NAMES = (
    r"\{\{function_node .*?\}\} *|\s*\[\[\{\{node .*?\}\}\]\]|\s*\[Op:__inference\w*\]|"
    r"(?<=\]) name: \S*"
)
_FOR_DEVELOPERS = re.compile(f"{_RECOMMENDATION}|{_NAMES}")

_TENSOR = r"'?[\w.]*(Eager|Symbolic|Keras)Tensor'? object"
_NO_ROW = r"indices\[.*\] = -?\d+ is not in \[0, \d+\)"
_TOO_FEW_AXES = (
    "too many indices|out of bounds for array of dimension|not have enough dimensions|"
    "axes don't match"
)
_OTHER_SHAPES = (
    "could not be broadcast|in its core dimension|not aligned|input arrays must have|"
    "input array dimensions|must be equal, but are|both shapes must be equal|Incompatible shapes|"
    "size-incompatible|Expected dimension"
)
# By what occurs in the message of an error, what to do about it; the first that occurs counts.
ADVICE = {
    NUMPY_IN_A_GRAPH: "A function of NumPy is applied to a tensor. A model is trained as a graph, "
    "in which tensors have no values yet. Use the function of keras.ops instead.",
    rf"{_TENSOR} has no attribute 'numpy'|not '\w*Tensor'": "The values of a tensor are asked for. "
    "A model is trained as a graph, in which tensors have no values yet. Compute with the "
    "functions of keras.ops instead.",
    rf"{_TENSOR} has no attribute '(any|all)'": "A tensor has no methods any and all. Whether an "
    "argument such as a mask was given is asked by `mask is not None`; for its entries there are "
    "ops.any and ops.all.",
    rf"{_TENSOR} has no attribute": "A method of NumPy arrays is called on a tensor, which does "
    "not have it. Use the function of keras.ops instead, such as ops.sum(x, axis=-1) for "
    "x.sum(axis=-1).",
    rf"{_TENSOR} does not support item assignment": "An entry of a tensor is assigned to, but a "
    "tensor cannot be changed. Compute a new one, for example with ops.where.",
    "as a Python `bool` is not allowed": "A condition (if, while, and, or, not) depends on the "
    "values of a tensor, but in a graph they are not known yet. Use ops.where instead. Whether an "
    "argument such as a mask was given is asked by `mask is not None`.",
    r"was expected to be an? \w+ tensor but is an? \w+ tensor|has type \w+ that does not match "
    r"type": "Tensors of two different types are combined. Convert one of them with ops.cast.",
    "truth value of an array|only convert a single-element|truth value of a tensor": "A condition "
    "(if, while, and, or, not) is asked of a whole array. Whether an argument such as x was given "
    "is asked by `x is not None`; for its entries there is np.where.",
    r"float\d*' object cannot be interpreted as an integer|a single integer, got '\d+\.|slice "
    r"indices must be integers": "A size or an index is a float. Divide whole numbers by //.",
    "'tuple' object has no attribute": "A function returned several values, a tuple, which is used "
    "as if it were one array. Take the value that you need out of it first.",
    "NoneType": "A value is None where a number or an array is needed. Either an argument that may "
    "be left out was not given, or a function returned nothing.",
    "cannot access local variable|referenced before assignment": "A variable is used before it has "
    "a value: the loop or the condition in which it gets one was not entered. Give it a value "
    "before.",
    "'numpy.ndarray' object has no attribute 'append'": "An array cannot be appended to. Collect "
    "the parts in a list first, or join arrays with np.concatenate.",
    "only integer scalar arrays|only integer arrays with one element|an index, got an array": "An "
    "array stands where a single whole number is needed: an index of a list, or an axis. "
    "np.max(a, axis) reduces one array; the larger of two, entry by entry, is np.maximum(a, b).",
    _NO_ROW: "An embedding is asked for a number that its table does not have. Its first argument "
    "says how many rows the table has, so it must be larger than every number.",
    r"index -?\d+ is out of bounds": "An index goes beyond the end of an axis. An axis of length n "
    "has the indices 0 to n − 1.",
    _TOO_FEW_AXES: "An array has fewer axes than its use here assumes. Its last axis is -1, "
    "whatever the number of axes.",
    "cannot reshape array|Input to reshape": "The values of an array do not fill the shape that it "
    "is to get. The lengths of the new axes, multiplied, must be the number of its values.",
    _OTHER_SHAPES: "The shapes of two arrays do not fit together. Compare the shape of each with "
    "the one that the card names: one may lack an axis, have one too many, or need to be "
    "transposed.",
    "Error when deserializing class": "A saved layer is made again by __init__(**config). The keys "
    "of what get_config returns must be the names of the arguments of __init__.",
    "zero-size array to reduction": "The largest or smallest number of an empty array is asked "
    "for: a slice or a block of an array holds nothing.",
    "valid root scope name": "TensorFlow cannot train a model or layer whose name begins with an "
    "underscore. Give its class another name.",
}


def is_numpy_in_a_graph(message: str) -> bool:
    """Say whether the message of a NotImplementedError is that of NumPy in a graph."""
    return any(words in message for words in _NUMPY_READS_A_GRAPH)


def advice(message: str) -> str | None:
    """Return what to do about an error with this message, None where nothing is known of it."""
    return next((said for pattern, said in ADVICE.items() if re.search(pattern, message)), None)


def for_students(message: str) -> str:
    """Return the message of an error without what TensorFlow adds for developers."""
    return _FOR_DEVELOPERS.sub("", message)
