"""mbcore: flexible multibody systems that roll, rattle and vibrate.

The finite-element multibody method of Schwab and Meijaard in minimal coordinates, for holonomic
and non-holonomic systems, and its models as self-contained FMUs.
"""

import lazy_loader

from mbcore.version import VERSION

__version__ = VERSION

# Importing all names takes a second, which a command that only tells its version has not to wait.
__getattr__, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
__all__ = [*_names, "__version__"]
