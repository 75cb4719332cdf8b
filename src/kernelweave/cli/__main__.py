"""python -m kernelweave.cli"""

import sys

from .main import main

sys.exit(main())
