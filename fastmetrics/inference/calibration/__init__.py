"""How sure a calibration is: the interval of an error in bins, bands of the curve, a test.

May import `measures`, and the files of the floor; no other room.
"""
