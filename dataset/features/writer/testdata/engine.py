# A test of assay_features.py: odd records, the same in every language.
import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from assay_features import Channel, Column, Term, Writer, load


def bent():
    w = Writer("bent", [Term("a", "g", 100, 120.5, channel="main"), Term("b", "h", 3, kind="single", channel="danger"), Term("k", "", 2.5, kind="scalar", step=0.5)],
               channels=[Channel("main"), Channel("danger", "plain", sides=True)], columns=[Column("f", sides=True), Column("g")],
               formula='value = main.mg*phase + main.eg*(1 - phase) # "odd"\n + balance(danger^2*f)/k + g')
    for fen in w.positions():
        n = len(fen)
        if n < 10:
            w.add(0, 9)
            w.skip("KPK")
            continue
        w.add(0, 2)
        w.add_sides(1, n, 1)
        w.add_sides(1, 0, 0.25)
        w.write(0.5, eval=n, columns=(0.5, 0.75, n))


if sys.argv[1] == "bent":
    bent()
    sys.exit()

if sys.argv[1] == "load":
    t = [Term("a", "g", 5, 6), Term('b<"\\', "g", 0, 0, "single"), Term("k", "", 9, kind="scalar", step=0.5)]
    try:
        load(sys.argv[2], t)
        print(t[0].mg, t[0].eg, t[1].mg, t[1].eg, t[2].mg)
    except ValueError:
        if [t[0].mg, t[0].eg, t[1].mg, t[2].mg] == [5, 6, 0, 9]:
            print("error")
    sys.exit()

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
