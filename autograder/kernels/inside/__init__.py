"""What runs inside the sandbox: the fork server, and the Jupyter kernels that it forks.

This folder is copied into the sandbox whole, and beside `coursekit` it is the only code of ours
there. It imports the standard library, ipykernel, and what students import. Its modules import each
other by relative names, because the copy is not a part of `autograder`.
"""
