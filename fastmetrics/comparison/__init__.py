"""Is one model really better? Tests between models, each on numbers that exist already.

``result`` is what all tests return, with the names of models; `tables` may use `samples`, and
`planning` stands alone.
"""
