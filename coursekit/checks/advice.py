"""What the errors mean that are raised where an array, a tensor or a variable is misused."""

import re

from coursekit.checks.tensorflow_messages import NUMPY_IN_A_GRAPH

_TENSOR = r"'?[\w.]*(Eager|Symbolic|Keras)Tensor'? object"
_WITHOUT_VALUES = (
    r"not '?\w*(Symbolic|Keras)?Tensor|SymbolicTensor' object cannot be interpreted|"
    "len is not well defined"
)
_NOT_ONE_NUMBER = (
    "only 0-dimensional arrays can be converted|only length-1 arrays|"
    "real number, not '?(list|tuple)"
)
_OTHER_TYPES = (
    r"was expected to be an? \w+ tensor but is an? \w+ tensor|has type \w+ that does not match "
    r"type|must have the same dtype"
)
_OF_TRUTH_VALUES = (
    "DataType bool|to EagerTensor of dtype bool|Expected bool, but got|attr 'T' of bool|"
    "boolean (subtract|negative)"
)
_OF_WHOLE_NUMBERS = (
    r"Cannot convert \(?\S*\d\.\d*.* to EagerTensor of dtype u?int|"
    r"Expected u?int\d+, but got \d*\.\d"
)
_SEVERAL_ARGUMENTS = (
    r"Cannot interpret '-?[\d.]+' as a data type|order must be str|must be of ArrayType|"
    "Field elements must be"
)
_KERAS_SIZE = (
    "expected a positive integer|(?<!: a )(must|should) be a positive integer|"
    "state_size must be an integer"
)
_NOT_WHOLE = (
    r"float\d*' object cannot be interpreted as an integer|a single integer, got '\d+\.|"
    r"slice indices must be integers|arrays used as indices|only integers, slices|"
    r"(list|tuple|range) indices .* not (numpy\.)?float|invalid dimension '\d+\."
)
_BITWISE = (
    r"'(bitwise_\w+|invert)' not supported|"
    r"for (unary ~|[&|^]=?): (?!.*'(NoneType|list|tuple|range|set|str|dict\w*)')|"
    "Op<name=(Bitwise|Invert)"
)
_LIST_AS_ARRAY = (
    r"'list' object has no attribute|sequence by non-int of type '(list|tuple|range)'|"
    r": '(list|range)' and|and '(list|range)'|instances of '(list|range)' and|"
    r"(unary [-+~]|abs\(\)): 'list'|(list|range) indices .* not (tuple|list)"
)
_NOT_OF_ONE_KIND = (
    r"'(set|dict\w*|zip|map)' and '(list|set|dict\w*)'|'list' and '(set|dict\w*|zip|map)'|"
    "'range' and 'list'"
)
_NOT_NUMBERS = (
    r"did not contain a loop with signature|support argument \d of type (?!NoneType|int|float)|"
    r"ufunc '(?!bitwise|invert)\w+' not supported"
)
_NO_POSITIONS = (
    r"'(set|zip|map|filter|enumerate|generator|dict_\w+|\w+iterator)' object is not subscriptable|"
    r"type '(zip|map|filter|enumerate|generator|\w+iterator)' has no len"
)
_TRANSPOSED = (
    "axes don't match|repeated axis in transpose|valid permutation|transpose expects a vector|"
    "axis must be a list of the same length"
)
_NO_ROW = r"indices(\[.*\])? = -?\d+ is not in \[0, \d+\)"
_NO_PLACE = (
    r"index -?\d+ is out of bounds|index -?\d+ of dimension \d+ out of bounds|out-of-bounds index"
)
_TOO_FEW_AXES = (
    "too many indices|to many indices|out of bounds for (an )?array (of|with) dimension|"
    r"in the range \[-\d+, \d+\)|not have enough dimensions|ndims must be >= 2|"
    "Invalid reduction dimension|too many subscripts|must be (at least )?two-dimensional|"
    "Index out of range using input dim|invalid index to scalar|slice scalar input|0-d array|"
    "of unsized object|over a scalar tensor|Scalar tensor has no"
)
_OTHER_SHAPES = (
    "could not be broadcast|could not broadcast|in its core dimension|not aligned|"
    "input arrays must have|input array dimensions|must be equal, but are|"
    r"both shapes must be equal|Incompatible shapes|size-incompatible|Expected dimension \d|"
    "Cannot broadcast shape|must be broadcastable|compatible batch dimensions|"
    "Ranks of all input|Shapes of all inputs must match|[Ii]nner dimensions|"
    r"must have the same shape except|matching shapes|have incompatible shapes|"
    r"Shapes \(.*\) are incompatible|shape-mismatch"
)
_NOT_BUILT = (
    "(isn't|is not) (yet )?built|must build the layer|(layer|model)[^.]* not (yet )?been built|"
    "has no defined"
)
_OTHER_ARGUMENTS = (
    "positional argument|missing a required argument|unexpected keyword argument|multiple values "
    r"for argument|Unrecognized keyword arguments|not recognized: \{|keyword-only argument|"
    "takes (exactly|at most) "
)
# By what occurs in an error's name and message, what to do about it; the first that occurs counts.
ADVICE = {
    # A message with another one in it.
    "Error when deserializing class": "Keras re-creates a layer by calling __init__(**config). "
    "get_config must return the value of each argument of __init__ under its name. __init__ must "
    "also accept Keras's other settings, as **kwargs, and pass them on: "
    "super().__init__(**kwargs).",
    "objects? could not be loaded": "The saved weights do not fit the re-created layer. "
    "get_config must return the sizes that __init__ was given, each under its own name, and the "
    "layer must create the same weights again.",
    r"InvalidArgumentError\.__init__\(\) missing": "TensorFlow could not carry out an operation "
    "and did not say why. Check the axes and the shapes in this line of your answer.",
    # Tensors and graphs.
    NUMPY_IN_A_GRAPH: "A function of NumPy is applied to a tensor. A model is trained as a graph, "
    "in which tensors have no values yet. Use the function of keras.ops instead.",
    rf"{_TENSOR} has no attribute 'numpy'|{_WITHOUT_VALUES}": "The values of a tensor are asked "
    "for. A model is trained as a graph, in which tensors have no values yet. Compute with the "
    "functions of keras.ops instead.",
    rf"{_TENSOR} has no attribute '(any|all)'": "A tensor has no methods any and all. To find out "
    "whether an argument such as a mask was given, write `mask is not None`; for its entries there "
    "are ops.any and ops.all.",
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
    "to the input of a model, or to something that was computed from it, or it is multiplied by a "
    "number of NumPy from the left. These tensors have no values while the model is put together. "
    "Use the function of keras.ops instead, and math.sqrt for a plain number.",
    "<NOT CONVERTIBLE TO TENSOR>|elements of SparseTensor": "While a model of keras.Input is put "
    "together, Keras takes the product of a tensor and a plain number or array for a sparse "
    "tensor, which a layer such as Dense cannot read. Multiply with the layer "
    "keras.layers.Rescaling, or write the model as a subclass of keras.Model.",
    "Iterating over a symbolic": "A loop runs over a tensor, or a tensor is unpacked into several "
    "names. Neither works here, because the tensor has no values yet. Compute with whole tensors, "
    "or take single entries with an index, such as x[:, 0].",
    _OF_TRUTH_VALUES: "A mask of truth values cannot be used like numbers here. ops.cast(mask, "
    "'float32') or mask.astype(float) turns it into zeros and ones, and ~mask is its opposite.",
    _OF_WHOLE_NUMBERS: "A number with a decimal point is combined with a tensor of whole numbers, "
    "or is used where a size or an axis is needed. Convert the tensor with ops.cast(x, "
    "'float32'), and divide sizes with //.",
    _OTHER_TYPES: "Tensors of two different types are combined. Convert one of them with ops.cast.",
    # Numbers.
    "truth value of an? |only convert a single-element": "Python needs a single yes or no here, "
    "but is given a whole array: in if, while, and, or, not, in, max(a, b) or 0 < x < 1. Combine "
    "arrays with &, |, np.where or np.maximum. To find out whether an argument such as x was "
    "given, write `x is not None`.",
    "Cannot cast ufunc": "An operation such as /= tries to put real numbers into an array of whole "
    "numbers or of truth values. Compute a new array instead, such as x = x / 2.",
    _NOT_ONE_NUMBER: "An array or a list stands where a single number is needed. Take one entry, "
    "such as x[0]. Functions of math take a single number; those of NumPy, such as np.exp, take "
    "arrays, too.",
    "math (range|domain) error": "A function of Python's math module has no result for this "
    "number, as in math.log(0), or a result that is too large, as in math.exp(1000). Check where "
    "the number comes from. (NumPy's functions return nan, inf or -inf instead of raising an "
    "error.)",
    "^ZeroDivisionError|division by zero": "A number is divided by 0. Find out where the 0 comes "
    "from. It may be the length of an empty list, for example.",
    "Integers to negative integer powers": "NumPy cannot raise whole numbers to negative powers. "
    "Make the base a real number: 10000.0 ** -k.",
    r"cannot convert float (infinity|NaN) to integer": "Infinity or nan cannot become a whole "
    "number, neither by int(...) nor when it is written into an array of whole numbers. Find out "
    "where it comes from. If an array is meant to hold it, make an array of real numbers first, "
    "for example with x.astype(float).",
    "inhomogeneous shape|non-rectangular": "Lists of different lengths cannot become one array. "
    "Either they should have been equally long, or they need padding.",
    "setting an array element with a sequence": "A list or an array is written into the place of a "
    "single number. If it holds one number, take that out, with x.item(). If it holds several, the "
    "array needs one more axis, such as np.zeros((n, d)) instead of np.zeros(n).",
    "destination is read-only": "This array must not be changed, because another one owns its "
    "numbers. Work on a copy: x = np.array(x).",
    _SEVERAL_ARGUMENTS: "Numbers that belong together must be one argument. That is so for a shape "
    "(np.zeros((2, 3))), for several axes (x.sum(axis=(0, 1))) and for the rows of an array "
    "(np.array([[1, 2], [3, 4]])).",
    "boolean index did not match": "A boolean array that chooses entries of another array must be "
    "as long as the axis from which it chooses.",
    _KERAS_SIZE: "Keras needs a whole number of at least 1 here, and it must be a Python int. "
    "Divide whole numbers with //, and convert a number of NumPy with int(...).",
    _NOT_WHOLE: "A size or an index is not a whole number. Divide whole numbers with //, and make "
    "an array of indices with dtype=int or .astype(int).",
    _NOT_OF_ONE_KIND: "Two collections of different kinds are combined. A set is joined to a set, "
    "as in a | set(b), and a list to a list, as in list(a) + b.",
    _BITWISE: "The operators ^, &, | and ~ work on whole numbers and truth values only. A power is "
    "written with **. Comparisons need brackets: (x > 0) & (x < 1). .astype(bool) turns a mask of "
    "real numbers into one of truth values.",
    "of type (int|float) which has no callable": "NumPy keeps these numbers as objects, because an "
    "integer is too large, or because the array also holds None or lists. Convert them, with "
    "float(n) or x.astype(float).",
    _NOT_NUMBERS: "NumPy is asked to compute with something that is not a number, for example a "
    "string, or a list in an array. (A loop over a dict gives its keys; its values are in "
    "d.values().)",
    # A KeyError that Keras raises for another reason.
    "in the `loss` argument": "The model returns several outputs, but the loss is for a single "
    "one. Let the model return its output alone, without the weights of its attention, for "
    "example.",
    # Python's own types.
    "^KeyError: (?!.*pop from an empty)": "A key is asked for that is not there. Print the keys, "
    "and compare how they are written. To count with a dict, let a missing key stand for 0: "
    "counts[w] = counts.get(w, 0) + 1.",
    "not in list$|substring not found": "What is searched for is not in the list or the string. "
    "Ask first whether it is there, for example with `if entry in row`.",
    r"codec can't (de|en)code": "A file is read or written with the wrong encoding. State the "
    'right one: open(path, encoding="utf-8").',
    "'(tuple|list)' object cannot be interpreted as an integer": "A tuple or a list stands where "
    "one whole number is needed. Take a single entry, such as x.shape[0], or put in all of them "
    "with *, as in (-1, *x.shape[1:]). Several axes are given as a tuple: axis=(0, 1). "
    "np.random.rand and np.eye take the lengths one by one.",
    r'can only concatenate str \(not "(?!NoneType)': "A + joins a string to a string only. Write "
    'f"loss: {loss}", or str(loss).',
    r'can only concatenate (list|tuple) \(not "(?!NoneType)': "A + joins a list to a list and a "
    "tuple to a tuple, but never one kind to the other: x.shape[:-1] + (5,). To add numbers, make "
    "an array first, with np.array(...).",
    "'tuple' object has no attribute|: 'tuple' and|and 'tuple'|tuple indices must be": "A tuple is "
    "used as if it were one array or one number. If a function returned several values, take out "
    "the one that you need first. The shape of an array is a tuple, too; x.shape[0] is one number.",
    "NoneType|None values not supported|Failed to convert elements of .*None": "A value is None "
    "where a number or an array is needed. An argument that may be left out was not given, a "
    "function returned nothing, or the length of an axis is not known while a model is built. "
    "(Then x.shape[1] is None; ops.shape(x)[1] gives the length.)",
    "object is not callable": "Round brackets follow something that is not a function. Entries are "
    "chosen with square brackets, a product needs a *, and perhaps a variable has been given the "
    "name of a function.",
    r"expected \d+, got 0\)": "What is to be unpacked is empty. A layer that is not built yet, for "
    "example, has no weights.",
    "to unpack|cannot unpack": "The number of names on the left of an assignment, or in a loop, is "
    "not the number of values. The shape of an array has one entry for each axis.",
    "'History' object (is not|has no)|type 'History'": "What fit returns is not a dict itself. Its "
    "numbers are in its attribute history: fitted = model.fit(...), then fitted.history['loss'].",
    _NO_POSITIONS: "A set, the keys of a dict, and what zip, map, filter or enumerate returns "
    "cannot be indexed, and most of them have no length. Make a list first, with list(...).",
    r"object is not iterable|object is not subscriptable|has no len\(\)": "Something that has no "
    "entries, such as a single number or a function, is used as if it had some: in a loop, in "
    "len(...) or with an index in square brackets. (The length of a tensor is ops.shape(x)[0].)",
    _LIST_AS_ARRAY: "A list, a tuple or a range is used as if it were an array. Make an array of "
    "it first, with np.array(...).",
    r"sequence by non-int of type '(numpy\.)?float": "A list times a number repeats the list, so "
    "the number must be whole: [0] * (n // 2). To multiply the entries, make an array first, with "
    "np.array(...).",
    "list assignment index out of range": "The list has no place yet for this entry. Use append, "
    "or make an array of the right length first, with np.zeros(...).",
    "(list|tuple) index out of range": "An index goes beyond the end of a list or a tuple. The "
    "shape of an array has one entry for each axis, so that of a vector has only one. A layer that "
    "is not built yet has an empty list of weights.",
    "empty sequence|iterable argument is empty|need at least one array": "A list or an array is "
    "empty: a slice or a loop before this line found nothing.",
    "unhashable type: 'slice'": "A dict has keys and no positions, so it cannot be sliced. Choose "
    "one of its entries first, such as history['loss'][-5:].",
    "unhashable type|(Tensor|Variable) is unhashable": "An array, a list, a dict or a tensor "
    "cannot be an entry of a set or a key of a dict. Write set(x.ravel().tolist()) for the numbers "
    "of an array, and tuple(row) for a row of numbers.",
    "cannot access (local|free) variable|referenced before assignment": "A variable is used before "
    "it has a value. A sum needs a start before its loop, such as total = 0. Perhaps the loop or "
    "the if in which the variable gets its value was never entered. In softmax = softmax(x) the "
    "variable hides the function, so give it another name.",
    "'numpy.ndarray' object has no attribute 'append'": "An array cannot be appended to. Collect "
    "the parts in a list first, or join arrays with np.concatenate.",
    # Axes and shapes.
    "only integer scalar arrays|only integer arrays with one element|an index, got an array": "An "
    "array stands where a single whole number is needed: an axis, an index of a list, or the "
    "argument of range. Arrays to be joined are given as one list: np.concatenate([a, b]). The "
    "larger of two, entry by entry, is np.maximum(a, b).",
    _NO_ROW: "A row is looked up that the table does not have. A table of n rows has the rows 0 to "
    "n − 1. The first argument of an Embedding is this n, so it must be larger than every id.",
    _NO_PLACE: "An index goes beyond the end of an axis. An axis of length n has the indices 0 to "
    "n − 1 and, counted from its end, −1 to −n.",
    _TRANSPOSED: "transpose needs every axis of the array exactly once, as x.transpose(0, 2, 1) "
    "does for three axes. The last two alone are exchanged by np.swapaxes(x, -1, -2) or "
    "ops.swapaxes.",
    _TOO_FEW_AXES: "An array has fewer axes than its use here assumes. Print its shape. Perhaps an "
    "index or a sum has removed an axis: keepdims=True keeps it, and x[:, None] adds one.",
    "equal division": "np.split(x, 3) makes three equal parts, so the axis must have a length that "
    "3 divides. np.split(x, [n]) cuts before row n. It is the first axis that is cut, unless "
    "axis=... says otherwise.",
    "`indices` and `arr` must have|`x` and `indices` must have": "take_along_axis needs indices "
    "with as many axes as the array. Add the missing one with np.expand_dims(places, axis), and "
    "remove it from the result.",
    "unknown (rank|TensorShape)": "How many axes a tensor has is not known while the model is "
    "built. It may have been squeezed without an axis: name it, as in ops.squeeze(x, axis=-1).",
    "cannot reshape array|Input to reshape": "The values of an array do not fill the shape that it "
    "is to get. The lengths of the new axes, multiplied, must be the number of its values.",
    "to squeeze out|[Cc]an ?not squeeze": "squeeze can only remove an axis of length 1. Print the "
    "shape of the array before it: an axis may have a length that you do not expect.",
    "must be (a )?square|Expected a square matrix": "This function takes square matrices only. "
    "Print the shape of yours. A principal component analysis needs the eigenvalues of the "
    "covariance matrix, not of the data. For more equations than unknowns there is "
    "np.linalg.lstsq.",
    "Singular matrix|not invertible": "The matrix has no inverse, because its rows are linearly "
    "dependent. np.linalg.pinv and np.linalg.lstsq work for such a matrix, too.",
    r"Cannot convert '-?[\d.]+' to a shape": "A number stands where Keras expects a shape, which "
    "is a tuple even for a single axis: keras.Input((3,)), self.add_weight(shape=(3,)).",
    "no `None` dimensions": "The shape of a weight must be known when the layer is built. Give "
    "keras.Input the number of features, and in build use input_shape[-1], not the whole shape.",
    # Losses and training.
    r"must have the same rank \(ndim\)": "The targets and the outputs of the model have different "
    "numbers of axes; the message names both shapes. Classes that are given as whole numbers need "
    "sparse_categorical_crossentropy. If the outputs have a time axis too many, look for "
    "return_sequences=True.",
    "same shape up until the last dimension": "The targets must have the shape of the outputs "
    "without their last axis.",
    r"must have rank \(ndim\) `target": "sparse_categorical_crossentropy expects a whole number "
    "for each row of outputs. For one-hot rows use categorical_crossentropy. If the targets are "
    "whole numbers already, the outputs have a time axis too many or too few: look for "
    "return_sequences.",
    "`output` must have the same shape": "The targets and the outputs must have the same shape. "
    "For one-hot rows the last layer needs one unit for each class.",
    r"label value of -?\d+ which is outside": "A class is not one of 0 to n − 1, where n is the "
    "number of units of the last layer.",
    "Data cardinality is ambiguous": "The arrays that were given to fit do not all hold the same "
    "number of examples. Compare the lengths of x and y.",
    "Unrecognized data type": "fit and predict read arrays. Make an array of each list, with "
    "np.array(...).",
    _OTHER_SHAPES: "The shapes of two arrays do not fit together. Compare the shape of each with "
    "the one that the card names: one may lack an axis, have one too many, or need to be "
    "transposed.",
    "zero-size array to reduction": "The largest or smallest number of an empty array is asked "
    "for: a slice or a block of an array holds nothing.",
    # Layers.
    "incompatible with the layer: expected (shape|axis)|Invalid input shape for input": "A layer "
    "or a model is given an array that does not have the shape that it was made for. Compare the "
    "two shapes in the message. The first axis is the batch: x[None] makes a batch of one example.",
    r"incompatible with the layer: expected (min_|max_)?ndim": "A layer is given an array that "
    "does not have the number of axes that it expects. A recurrent layer reads (batch, time, "
    "features), and one that stands before another needs return_sequences=True.",
    r"called on a list of|expects \d+ (named )?input\(s\)": "A layer is not given the number of "
    "inputs that it expects. Several inputs are given as one list: layer([a, b]). A recurrent "
    "layer with return_state=True returns several tensors.",
    "has never been called": "Only a layer or a model that was called on a keras.Input has an "
    "input and an output. Begin the model with keras.Input(...).",
    _NOT_BUILT: "A layer or a model has no weights and no output before it is built. Call it on an "
    "array first, or call its build(input_shape).",
    "forgot to call `super|'super' object needs|type object 'super' ": "The first line of __init__ "
    "must be super().__init__(**kwargs), with the brackets after super, too. Accept **kwargs in "
    "the definition: def __init__(self, units, **kwargs).",
    r"cannot add new elements of state|singleton tf\.Variables": "Layers or weights are made after "
    "the layer was built, for example in call. Make them once, in __init__ or build, and only use "
    "them in call.",
    "has no setter": "This attribute cannot be assigned to. The weights of a layer are set by "
    "layer.set_weights([...]). If a layer is to keep something of its own in self, choose another "
    "name, because Keras already uses this one.",
    r"Could not interpret \w+( function)? identifier": "Keras knows no activation, loss, "
    "optimizer, metric or initializer of this name. It may be misspelt, or it may belong to "
    "another argument, as in Dense(3, 4). (A class needs brackets: keras.optimizers.Adam().)",
    "Only input tensors may be passed": "A layer is called with something that is neither an array "
    "nor a tensor. Make an array of numbers first, and give a layer the output of the layer before "
    "it, not that layer itself. Settings are given by name, such as training=True.",
    r"__init__\(\) got an unexpected keyword argument '(name|dtype|trainable)'": "Keras gives a "
    "layer more arguments than those of the exercise, such as its name. Accept them as **kwargs in "
    "__init__ and hand them on: super().__init__(**kwargs).",
    # Names.
    r"^TypeError: \w+\(\) takes no arguments$": "A class is given arguments, but it has no "
    "__init__ that takes them. The name has two underscores on each side.",
    _OTHER_ARGUMENTS: "A function is called with arguments that do not match its definition. "
    "Compare the call with the definition. The card says which arguments the functions of an "
    "exercise take.",
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


def advice(name: str, message: str) -> str | None:
    """Return what to do about an error of this name and message, None if nothing is known of it."""
    error = f"{name}: {message}"
    return next((said for pattern, said in ADVICE.items() if re.search(pattern, error)), None)
