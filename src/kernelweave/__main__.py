"""python -m kernelweave"""

import sys

from .cli import main

sys.exit(main())
