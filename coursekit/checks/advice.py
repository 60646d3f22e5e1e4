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
_NO_ROW = r"indices(\[.*\])? = -?\d+ is not in \[0, \d+\)"
_TOO_FEW_AXES = (
    "too many indices|out of bounds for array of dimension|not have enough dimensions|"
    "axes don't match|ndims must be >= 2|Invalid reduction dimension|too many subscripts|"
    "must be (at least )?two-dimensional"
)
_OTHER_SHAPES = (
    "could not be broadcast|could not broadcast|in its core dimension|not aligned|"
    "input arrays must have|input array dimensions|must be equal, but are|"
    "both shapes must be equal|Incompatible shapes|size-incompatible|Expected dimension"
)
# By what occurs in the message of an error, what to do about it; the first that occurs counts.
ADVICE = {
    NUMPY_IN_A_GRAPH: "A function of NumPy is applied to a tensor. A model is trained as a graph, "
    "in which tensors have no values yet. Use the function of keras.ops instead.",
    rf"{_TENSOR} has no attribute 'numpy'|not '\w*Tensor'": "The values of a tensor are asked for. "
    "A model is trained as a graph, in which tensors have no values yet. Compute with the "
    "functions of keras.ops instead.",
    rf"{_TENSOR} has no attribute '(any|all)'": "A tensor has no methods any and all. To find out "
    "whether an argument such as a mask was given, write `mask is not None`; for its entries "
    "there are ops.any and ops.all.",
    rf"{_TENSOR} has no attribute": "A method of NumPy arrays is called on a tensor, which does "
    "not have it. Use the function of keras.ops instead, such as ops.sum(x, axis=-1) for "
    "x.sum(axis=-1).",
    rf"{_TENSOR} does not support item assignment": "An entry of a tensor is assigned to, but a "
    "tensor cannot be changed. Compute a new one, for example with ops.where.",
    "as a Python `bool` is not allowed|cannot be used as a boolean": "A condition (if, while, and, "
    "or, not) depends on the values of a tensor, but in a graph they are not known yet. Use "
    "ops.where instead. To find out whether an argument such as a mask was given, write `mask is "
    "not None`.",
    "A KerasTensor (is symbolic|cannot be used)": "A function that is not one of Keras is applied "
    "to the input of a model, or to something that was computed from it. These tensors have no "
    "values while the model is put together. Use the function of keras.ops instead.",
    "Iterating over a symbolic": "A loop runs over a tensor, or a tensor is unpacked into several "
    "names. Neither works here, because the tensor has no values yet. Compute with whole tensors, "
    "or take single entries with an index, such as x[:, 0].",
    r"was expected to be an? \w+ tensor but is an? \w+ tensor|has type \w+ that does not match "
    r"type|must have the same dtype": "Tensors of two different types are combined. Convert one of "
    "them with ops.cast.",
    "truth value of an array|only convert a single-element|truth value of a tensor": "A condition "
    "(if, while, and, or, not) is asked of a whole array. To find out whether an argument such as "
    "x was given, write `x is not None`; for its entries there is np.where.",
    "Cannot cast ufunc": "An operation such as /= tries to put real numbers into an array of whole "
    "numbers or of truth values. Compute a new array instead, such as x = x / 2.",
    "only 0-dimensional arrays can be converted|only length-1 arrays": "An array stands where a "
    "single number is needed. Functions of math take a single number; those of NumPy, such as "
    "np.exp, take arrays, too.",
    "math (range|domain) error": "A function of math has no result for this number, as in "
    "math.log(0), or one that is too large, as in math.exp(1000). Check where the number comes "
    "from. (NumPy's functions return nan, inf or -inf instead of raising an error.)",
    r"cannot convert float (infinity|NaN) to integer": "Infinity or nan cannot become a whole "
    "number, neither by int(...) nor when it is written into an array of whole numbers. Find out "
    "where it comes from. If an array is meant to hold it, make an array of real numbers first, "
    "for example with x.astype(float).",
    "inhomogeneous shape": "Lists of different lengths cannot become one array. Either they should "
    "have been equally long, or they need padding.",
    r"Cannot interpret '[\d.]+' as a data type": "A number stands where NumPy expects the type of "
    "an array's entries. The shape of a new array is one argument, a tuple: np.zeros((2, 3)) and "
    "not np.zeros(2, 3).",
    "boolean index did not match": "A boolean array that chooses entries of another array must "
    "be as long as the axis from which it chooses.",
    r"float\d*' object cannot be interpreted as an integer|a single integer, got '\d+\.|"
    r"slice indices must be integers|arrays used as indices|only integers, slices|"
    r"list indices .* not (numpy\.)?float|expected a positive integer": "A size or an index is not "
    "a whole number. Divide whole numbers by //, and make an array of indices with dtype=int or "
    ".astype(int).",
    "'tuple' object has no attribute|: 'tuple' and|and 'tuple'|tuple indices must be": "A tuple is "
    "used as if it were one array or one number. If a function returned several values, take out "
    "the one that you need first. The shape of an array is a tuple, too; x.shape[0] is one number.",
    "NoneType": "A value is None where a number or an array is needed. An argument that may be "
    "left out was not given, a function returned nothing, or the length of an axis is not known "
    "while a model is built. (Then x.shape[1] is None; ops.shape(x)[1] gives the length.)",
    "object is not callable": "Round brackets follow something that is not a function. Entries are "
    "chosen with square brackets, a product needs a *, and perhaps a variable has been given the "
    "name of a function.",
    "to unpack|cannot unpack": "The number of names on the left of an assignment, or in a loop, "
    "is not the number of values. The shape of an array has one entry for each axis.",
    r"object is not iterable|object is not subscriptable|has no len\(\)": "Something that has no "
    "entries, such as a single number or a function, is used as if it had some: in a loop, in "
    "len(...) or with an index in square brackets. (The length of a tensor is ops.shape(x)[0].)",
    "'list' object has no attribute|sequence by non-int|: '(list|range)' and|and '(list|range)'|"
    "list indices .* not tuple": "A list, a tuple or a range is used as if it were an array. Make "
    "an array of it first, with np.array(...).",
    "(list|tuple) index out of range": "An index goes beyond the end of a list or a tuple. The "
    "shape of an array has one entry for each axis, so that of a vector has only one.",
    "unhashable type": "An array or a list cannot be an entry of a set or a key of a dict, because "
    "it can be changed. Numbers can: x.ravel().tolist() returns those of an array.",
    "bitwise_.* not supported": "The operators ^, & and | work on whole numbers and truth values. "
    "A power is written with **, and a mask of real numbers becomes one of truth values by "
    ".astype(bool).",
    "cannot access local variable|referenced before assignment": "A variable is used before it has "
    "a value: the loop or the condition in which it gets one was not entered. Give it a value "
    "before.",
    "'numpy.ndarray' object has no attribute 'append'": "An array cannot be appended to. Collect "
    "the parts in a list first, or join arrays with np.concatenate.",
    "only integer scalar arrays|only integer arrays with one element|an index, got an array": "An "
    "array stands where a single whole number is needed: an index of a list, or an axis. "
    "np.max(a, axis) reduces one array; the larger of two, entry by entry, is np.maximum(a, b).",
    _NO_ROW: "A row is looked up that the table does not have. A table of n rows has the rows 0 to "
    "n − 1. The first argument of an Embedding is this n, so it must be larger than every id.",
    r"index -?\d+ is out of bounds": "An index goes beyond the end of an axis. An axis of length n "
    "has the indices 0 to n − 1.",
    _TOO_FEW_AXES: "An array has fewer axes than its use here assumes. Its last axis is -1, "
    "whatever the number of axes.",
    "cannot reshape array|Input to reshape": "The values of an array do not fill the shape that it "
    "is to get. The lengths of the new axes, multiplied, must be the number of its values.",
    "select an axis to squeeze": "squeeze can only remove an axis of length 1. Print the shape of "
    "the array before it: an axis may have another length than you expect.",
    "must be square": "np.linalg.solve and np.linalg.inv take a square matrix only. For more "
    "equations than unknowns use np.linalg.lstsq.",
    "Cannot convert .* to a shape": "A number stands where Keras expects a shape, a tuple with the "
    "length of each axis except the batch: keras.Input((3, 1)).",
    r"must have the same rank \(ndim\)": "The loss compares targets and outputs that have "
    "different numbers of axes. The loss for classes that are given as whole numbers is "
    "sparse_categorical_crossentropy; categorical_crossentropy expects one-hot rows.",
    _OTHER_SHAPES: "The shapes of two arrays do not fit together. Compare the shape of each with "
    "the one that the card names: one may lack an axis, have one too many, or need to be "
    "transposed.",
    "Error when deserializing class": "A saved layer is made again by __init__(**config). The keys "
    "of what get_config returns must be the names of the arguments of __init__.",
    "zero-size array to reduction": "The largest or smallest number of an empty array is asked "
    "for: a slice or a block of an array holds nothing.",
    "incompatible with the layer: expected (shape|axis)": "A layer or a model is given an array of "
    "another shape than the one that it was made for. None in the shape of keras.Input leaves the "
    "length of an axis open.",
    "isn't built|is not built|has not been built": "A layer has no weights before it is built: by "
    "its first call, or by layer.build(input_shape).",
    "forgot to call `super": "__init__ must begin with super().__init__(**kwargs), so that Keras "
    "can prepare the layer.",
    r"incompatible with the layer: expected (min_)?ndim": "A layer is given an array that does not "
    "have the number of axes that it expects. A recurrent layer reads (batch, time, features).",
    "Data cardinality is ambiguous": "The arrays that were given to fit do not all hold the same "
    "number of examples. Compare the lengths of x and y.",
    r"__init__\(\) got an unexpected keyword argument '(name|dtype|trainable)'": "Keras gives a "
    "layer more arguments than those of the exercise, such as its name. Accept them as **kwargs in "
    "__init__ and hand them on: super().__init__(**kwargs).",
    "positional argument|missing a required argument|unexpected keyword argument|multiple values "
    "for argument": "A function is called with arguments that do not match its definition. Compare "
    "the call with the definition. The card says which arguments the functions of an exercise "
    "take.",
    r"name '\w+' is not defined": "A name is used that is not defined. It may be misspelt, or the "
    "line that defines or imports it may be missing.",
    "maximum recursion depth": "A function calls itself again and again. Perhaps it has the same "
    "name as another function that you meant to call. Give one of them another name.",
    "has no attribute '": "An object or a module has no attribute of this name. The name may be "
    "misspelt, or belong to another type. What a layer keeps in self must be assigned in __init__ "
    "or build, before it is used.",
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
