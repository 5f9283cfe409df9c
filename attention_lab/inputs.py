"""What the mathematics does with what it is given: arrays, numbers, shapes. Every error is one sentence.

Private to the package; the public functions are in attention, masks, positions and blockwise.
"""

import math
import numbers
import operator
import reprlib

import numpy as np

# NaN and ∞ are legal inputs here (a hidden key may hold them), so arithmetic on them must not warn.
quiet = np.errstate(all="ignore")


def shown(value):
    """A value as an error message shows it: its type and, in a few words, what it is."""
    return f"{type(value).__name__} {' '.join(reprlib.repr(value).split())}"


def whole_number(name, value, least=0, most=2**31):
    """value as an int from least to most; True and 3.0 are not whole numbers."""
    try:
        number = None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name} must be a whole number, got {shown(value)}")
    if not least <= number <= most:
        raise ValueError(f"{name} must be a whole number from {least} to {most}, got {number}")
    return number


def real_number(name, value):
    """value as a finite float."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a real number, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {shown(value)}")
    return number


def as_array(name, value):
    """value as an array, without a copy where it is one."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be a full rectangle: give every row the same length") from None


def as_floats(least_axes=2, **named):
    """The result's dtype, then each array in the dtype to compute in.

    Integers and lists become float64. The result takes the widest dtype given; float16 is computed in float32.
    Arrays that already have the right dtype are not copied.
    """
    arrays = []
    for name, value in named.items():
        array = as_array(name, value)
        if array.dtype.kind not in "biuf":
            raise TypeError(f"{name} must hold real numbers, got {shown(value)} (dtype {array.dtype})")
        if array.ndim < least_axes:
            raise ValueError(f"{name} of shape {array.shape} has too few axes: give at least {least_axes}")
        arrays.append(array if array.dtype.kind == "f" else array.astype(float))
    dtype = np.result_type(*arrays)
    return dtype, *(array.astype(np.result_type(dtype, np.float32), copy=False) for array in arrays)


def broadcast_leading(**named):
    """The leading axes that arrays (…, rows, columns) share."""
    try:
        return np.broadcast_shapes(*(array.shape[:-2] for array in named.values()))
    except ValueError:
        shapes = " and ".join(f"{name} {array.shape}" for name, array in named.items())
        raise ValueError(f"the leading axes of {shapes} differ: make them equal, or 1 to share") from None


def fits_into(shape, target):
    """Whether an array of this shape broadcasts to the target shape without enlarging it."""
    return len(shape) <= len(target) and all(
        own in (1, other) for own, other in zip(shape[::-1], target[::-1], strict=False)
    )
