"""The classes of results, for annotations: nobody constructs them."""

from fastmetrics import _faces

__getattr__, __dir__, __all__ = _faces.face(__name__, __file__)
