"""What type checkers must see in a user's program: one error a marked line.

tests/test_typing.py compares the lines of the errors with those that say "wrong".
"""

from kernelweave import MKLSVC, MKLRidge

MKLSVC(C="auto")  # wrong
MKLRidge(alpha="auto")  # wrong
gap = MKLSVC(C=1.0).fit([[0.0], [1.0]], [0, 1]).solution_.gap  # wrong
MKLSVC(C="learn", loss="squared_hinge")
