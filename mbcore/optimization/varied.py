"""Numbers with their derivatives by what an optimization varies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mbcore.model.errors import ModelError

SLOPES: dict[np.ufunc, Callable[[np.ndarray], np.ndarray]] = {
    np.sqrt: lambda x: 0.5 / np.sqrt(x),
    np.exp: np.exp,
    np.log: lambda x: 1 / x,
    np.sin: np.cos,
    np.cos: lambda x: -np.sin(x),
    np.tan: lambda x: 1 / np.cos(x) ** 2,
    np.arctan: lambda x: 1 / (1 + x**2),
    np.tanh: lambda x: 1 - np.tanh(x) ** 2,
    np.square: lambda x: 2 * x,
    np.negative: lambda x: -np.ones_like(x),
    np.absolute: lambda x: np.sign(x),
}
"""Derivatives of NumPy's functions of one real number."""
RULES: dict[np.ufunc, Callable[[Any, Any], Any]] = {
    np.add: lambda x, y: x + y,
    np.subtract: lambda x, y: x - y,
    np.multiply: lambda x, y: x * y,
    np.true_divide: lambda x, y: x / y,
    np.power: lambda x, y: x**y,
}
"""NumPy's functions of two numbers, by Python's operators."""


class Varied:
    """A number or an array of numbers, with derivatives.

    Sums, products, quotients, powers and NumPy's ``sqrt``, ``exp``, ``log``, ``sin``, ``cos``,
    ``tan``, ``arctan``, ``tanh`` and ``abs`` give another one. Comparisons compare values.

    Parameters
    ----------
    value : float, complex or array, any shape
        The numbers.
    gradient : ndarray, shape (..., n)
        Their derivatives by the n parameters that are varied.
    """

    def __init__(self, value: Any, gradient: Any) -> None:
        self.value, self.gradient = np.asarray(value), np.asarray(gradient)

    def __repr__(self) -> str:
        return f"<{self.value} with derivatives {self.gradient}>"

    def __array_ufunc__(self, function: np.ufunc, method: str, *given: Any, **options: Any) -> Any:
        """Apply a function of NumPy.

        Raises
        ------
        ModelError
            Its derivative is not known here.
        """
        if method == "__call__" and not options:
            if function in SLOPES and np.isrealobj(given[0].value):
                own = given[0]
                slope = np.asarray(SLOPES[function](own.value))
                return Varied(function(own.value), slope[..., None] * own.gradient)
            if function in RULES:
                first, second = (_lifted(one, self) for one in given)
                return RULES[function](first, second)
        raise ModelError(
            f"optimize: numpy.{function.__name__} of a value with derivatives; give "
            "Varied(value, gradient), or calculate with + - * / ** and "
            f"{', '.join(f.__name__ for f in SLOPES)} of real numbers"
        )

    def __add__(self, other: Any) -> Varied:
        o = _lifted(other, self)
        return Varied(self.value + o.value, _wide(self, o) + _wide(o, self))

    def __mul__(self, other: Any) -> Varied:
        o = _lifted(other, self)
        slope = self.value[..., None] * o.gradient + o.value[..., None] * self.gradient
        return Varied(self.value * o.value, slope)

    def __pow__(self, other: Any) -> Varied:
        if isinstance(other, Varied):
            return _power(self, other)
        slope = np.asarray(other * self.value ** (other - 1))
        return Varied(self.value**other, slope[..., None] * self.gradient)

    def __neg__(self) -> Varied:
        return Varied(-self.value, -self.gradient)

    def __sub__(self, other: Any) -> Varied:
        return self + -_lifted(other, self)

    def __rsub__(self, other: Any) -> Varied:
        return -self + other

    def __truediv__(self, other: Any) -> Varied:
        return self * _lifted(other, self) ** -1.0

    def __rtruediv__(self, other: Any) -> Varied:
        return self**-1.0 * other

    __radd__, __rmul__ = __add__, __mul__

    def __getitem__(self, place: Any) -> Varied:
        return Varied(self.value[place], self.gradient[place])

    def __len__(self) -> int:
        return len(self.value)

    def __abs__(self) -> Varied:
        return Varied(np.abs(self.value), np.sign(self.value)[..., None] * self.gradient)

    def __float__(self) -> float:
        return float(self.value)

    def __lt__(self, other: Any) -> Any:
        return self.value < _lifted(other, self).value

    def __gt__(self, other: Any) -> Any:
        return self.value > _lifted(other, self).value

    def __le__(self, other: Any) -> Any:
        return self.value <= _lifted(other, self).value

    def __ge__(self, other: Any) -> Any:
        return self.value >= _lifted(other, self).value

    @property
    def real(self) -> Varied:
        """Real parts."""
        return Varied(self.value.real, self.gradient.real)

    @property
    def imag(self) -> Varied:
        """Imaginary parts."""
        return Varied(self.value.imag, self.gradient.imag)

    def sum(self) -> Varied:
        """Return the sum of all numbers."""
        n = self.gradient.shape[-1]
        return Varied(self.value.sum(), self.gradient.reshape(-1, n).sum(axis=0))

    def mean(self) -> Varied:
        """Return the mean of all numbers."""
        return self.sum() / self.value.size

    def max(self) -> Varied:
        """Return the largest number; its derivative jumps where another takes over."""
        return self._flat(int(np.argmax(self.value)))

    def min(self) -> Varied:
        """Return the smallest number; its derivative jumps where another takes over."""
        return self._flat(int(np.argmin(self.value)))

    def _flat(self, place: int) -> Varied:
        gradients = self.gradient.reshape(-1, self.gradient.shape[-1])
        return Varied(self.value.ravel()[place], gradients[place])


def _lifted(given: Any, like: Varied) -> Varied:
    """Return a number without derivatives as one whose derivatives are zero."""
    if isinstance(given, Varied):
        return given
    value = np.asarray(given)
    return Varied(value, np.zeros((*value.shape, like.gradient.shape[-1])))


def _wide(one: Varied, other: Varied) -> np.ndarray:
    """Return derivatives of one in the shape of a sum with the other."""
    shape = np.broadcast_shapes(one.value.shape, other.value.shape)
    return np.broadcast_to(one.gradient, (*shape, one.gradient.shape[-1]))


def _power(base: Varied, exponent: Varied) -> Varied:
    """Return a power whose exponent varies, too."""
    slope = np.asarray(1 / base.value)
    logarithm = exponent * Varied(np.log(base.value), slope[..., None] * base.gradient)
    value = np.exp(logarithm.value)
    return Varied(value, value[..., None] * logarithm.gradient)
