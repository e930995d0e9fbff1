"""The sufficient statistics of data: frozen or streaming, mergeable, exact.

One room a kind; `confusion` may read a `scores` table, `regression` is a stranger to both.
"""
