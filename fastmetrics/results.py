"""The classes of results, for annotations: nobody constructs them."""

from fastmetrics import _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, __file__)
