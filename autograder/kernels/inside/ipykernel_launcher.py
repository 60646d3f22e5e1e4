"""Starts the fork server. In any Jupyter a kernel's command line has a file of this name."""

import os
import sys

sys.path[0] = os.path.dirname(sys.path[0])
from inside import isolation, server  # noqa: E402

del sys.path[0]  # what students import is found elsewhere

if "--probe" in sys.argv:
    isolation.probe()
else:
    app = server.main()
    if app:
        app.start()
    # Interpreter and TensorFlow would be taken down in good order, for nobody.
    os._exit(0)
