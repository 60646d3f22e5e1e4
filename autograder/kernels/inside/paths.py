"""Where a kernel finds things in the sandbox."""

HOME = "/home/jovyan"
# The fork server's copy of this package, and a directory for each kernel's sockets.
RUN_DIR = "/run/jupyter"
# Where a kernel sees its own socket directory.
KERNEL_DIR = "/run/kernel"
