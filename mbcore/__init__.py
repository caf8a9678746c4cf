"""mbcore: flexible multibody systems that roll, rattle and vibrate.

The finite-element multibody method of Schwab and Meijaard in minimal coordinates, for holonomic
and non-holonomic systems, and its models as self-contained FMUs.
"""

import lazy_loader

from mbcore import factories
from mbcore.version import VERSION

__version__ = VERSION

# Importing all names takes a second, which a command that only tells its version has not to wait.
_attribute, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
_near_names, _, _ = lazy_loader.attach(__name__, submod_attrs={"model.near_names": ["near"]})


def __getattr__(name: str) -> object:
    """Return a public name, or suggest similar ones."""
    if name in _names or name.startswith("_"):
        return _attribute(name)
    close = _near_names("near")(name, _names)
    hint = f"did you mean {' or '.join(map(repr, close))}? See" if close else "see"
    raise AttributeError(f"mbcore has no {name!r}; {hint} help(mbcore)")


# A model makes these, and its room is above theirs.
_factory, _, _ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "drawing.inline": ["inline"],
        "drawing.model_picture": ["draw_model"],
        "drawing.projection.camera": ["View"],
        "drawing.scene": ["Scene"],
        "equations.equations": ["Equations"],
        "linear.suggested_regularization": ["SuggestedRegularization", "suggest_regularization"],
    },
)
factories.register(_factory)

__all__ = [*_names, "__version__"]
