"""Python threads over kernels that release the interpreter's lock, and the bar that counts jobs.

May import nothing of the package; every layer above may run its jobs here.
"""
