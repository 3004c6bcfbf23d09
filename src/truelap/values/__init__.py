"""Values as plain data: what the encoder in the sandbox wrote (`probes/encode.py` has the format), read by the judge.

- `codec.py`: canonical text, literals written and numbers read in that format
- `compare.py`: is the candidate's value base's, and if not, where and by how much
- `arrays.py`, `containers.py`: the same of numpy's arrays, of dictionaries and of what has no order
- `large.py`: the same of values of which only digests, sums or samples were told
- `sharing.py`: which object stands where an encoding only says that it was told before
- `private.py`: the same but for what objects hold for themselves
- `text.py`: the same question for texts, names of types, and what objects say of themselves
- `plain.py`: back to Python numbers, text and containers, and the judge's own comparison of two of them
"""

from truelap.values.codec import canonical, literal
from truelap.values.compare import Comparison, compare, examine
from truelap.values.difference import Difference, Tolerance
from truelap.values.plain import NotPlainError, holds, is_data, numbers, plain
from truelap.values.private import compare_public, public

__all__ = [
    "Comparison",
    "Difference",
    "NotPlainError",
    "Tolerance",
    "canonical",
    "compare",
    "compare_public",
    "examine",
    "holds",
    "is_data",
    "literal",
    "numbers",
    "plain",
    "public",
]
