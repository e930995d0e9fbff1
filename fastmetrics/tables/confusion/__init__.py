"""``ConfusionMatrix``, the one table that changes, and the counting of labels.

May import the other tables, and the layers below them.
"""
