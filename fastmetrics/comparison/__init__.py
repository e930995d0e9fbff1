"""Is one model really better? Tests between models, each on numbers that exist already.

``result`` and ``_options`` are what all tests return and take; `tables` may use `samples`, and
`planning` stands alone.
"""
