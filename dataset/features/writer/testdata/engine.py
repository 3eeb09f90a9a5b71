# A test of assay_features.py: odd records, the same in every language.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from assay_features import Term, Writer

by_side = sys.argv[1] == "sides"
w = Writer('t"\\', [Term("a", "g", 100, 120.5), Term("b", "g", -3, -3, "flat", True), Term("c", "h", 7, 7, "single"),
                     Term("d.3", "h", 23, 0, "mg"), Term("e.1.3", "h", 0, 1, "eg", fixed=True)],
           unit=256, float_counts=True, by_sign=not by_side, by_side=by_side, resolves=True)
for fen in w.positions():
    n = len(fen)
    if by_side:
        w.add_sides(2, n, 1)
        w.add_sides(0, 0.5, 2)
        w.add_sides(3, 1, 0)
        w.write(1.25, offset=-3.5, halves=(n, 2, 3), scales=(0.5, 0.75), leaf=fen)
    else:
        w.add(2, n)
        w.add(0, 1)
        w.add(0, -1)
        w.add(1, -2)
        w.add(4, 77)
        w.write(0.5, 2, 0.25, -3.5, eval=n, halves=(n, -n), leaf=fen)
