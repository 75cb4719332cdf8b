"""What type checkers must see in a user's program: one error a marked line.

tests/test_typing.py compares the lines of the errors with those that say "wrong".
"""

from kernelweave import MKLSVC, MKLHuberRegressor, MKLLogisticRegression, MKLRidge


def program() -> None:
    MKLSVC(C="auto")  # wrong
    MKLRidge(alpha="auto")  # wrong
    MKLLogisticRegression(C="auto")  # wrong
    MKLHuberRegressor(epsilon="auto")  # wrong
    print(MKLSVC(C=1.0).fit([[0.0], [1.0]], [0, 1]).solution_.gap)  # wrong
    MKLSVC(C="learn", loss="squared_hinge")
