"""Prints the features of an evaluation for `assay features`: the writer in Python, standard library alone.
dataset/FORMAT.md of assay describes the protocol, assay.features/2. Apache License 2.0.

    w = Writer("myengine", [Term("pawn", "material", 100, 120), Term("tempo", "tempo", 12, 12, "flat")])
    for fen in w.positions():
        w.add(0, +1)                    # for each feature: + White's, - Black's
        w.write(phase, scale=1, eg_scale=1, offset=0, eval=eval, halves=(mg, eg))

Everything is from White's view. Print nothing else to the standard output.
"""
import json
import struct
import sys
from dataclasses import dataclass


@dataclass
class Term:
    """A term with the values that the engine plays with. kind: "" (tapered), "single", "flat" (after the taper), "mg"
    or "eg" (of one half alone: the other value is 0 and stays it)."""
    name: str
    group: str
    mg: float
    eg: float
    kind: str = ""
    asymmetric: bool = False  # not the same for both colors on purpose
    fixed: bool = False  # no fit changes it: a part that is not linear, with value 1 and the part as its count

    def header(self):
        h = {"name": self.name, "group": self.group, "mg": self.mg, "eg": self.eg}
        if self.kind:
            h["kind"] = self.kind
        if self.asymmetric:
            h["asymmetric"] = True
        if self.fixed:
            h["fixed"] = True
        return h


class Writer:
    def __init__(self, model, terms, unit=100, float_counts=False, by_sign=False, by_side=False, resolves=False):
        self.terms, self.by_side, self.resolves = len(terms), by_side, resolves
        self.white, self.black = {}, {}  # counts by term; without by_side white holds both sides'
        h = {"format": "assay.features/2", "records": "binary", "model": model, "unit": unit}
        for name, value in (("float", float_counts), ("by_side", by_side), ("resolves", resolves)):
            if value:
                h[name] = True
        if by_sign:
            h["eg_scale"] = "sign"
        h["terms"] = [t.header() for t in terms]
        self.out = sys.stdout.buffer  # binary, and buffered
        self.out.write(json.dumps(h).encode() + b"\n")
        self.out.flush()

    def positions(self):
        """The FENs. An empty line asks for what was printed so far."""
        for line in sys.stdin:
            fen = line.strip()
            if fen:
                yield fen
            else:
                self.out.flush()
        self.out.flush()

    def add(self, term, count):
        self.add_sides(term, count, 0)

    def add_sides(self, term, white, black):
        """Counts a term where sides are scaled on their own."""
        if not 0 <= term < self.terms:
            sys.exit(f"assay_features.py: term {term} of {self.terms}")
        self.white[term] = self.white.get(term, 0) + white
        self.black[term] = self.black.get(term, 0) + black

    def write(self, phase, scale=1, eg_scale=1, offset=0, eval=None, halves=(), scales=(1, 1), leaf=""):
        """Ends a record. eval = offset + flat terms + scale * (phase * MG + (1 - phase) * eg_scale * EG)."""
        used = [t for t in self.white if self.white[t] or self.black[t]]
        counts = [self.white[t] for t in used]
        if self.by_side:
            counts += [self.black[t] for t in used]
        wide = any(c != int(c) or not -128 <= c <= 127 for c in counts)
        flags = (eval is not None) | 2 * wide | 16 * bool(halves) | 32 * self.by_side
        if self.resolves:
            self.out.write(leaf.encode() + b"\n")
        form = "f" if wide else "b"
        self.out.write(struct.pack(
            f"<HBB5f{len(used)}H{len(counts)}{form}{len(halves)}i", len(used), flags, 0xA6, phase, scale, eg_scale, offset,
            eval or 0, *used, *(counts if wide else map(int, counts)), *halves))
        if self.by_side:
            self.out.write(struct.pack("<2f", *scales))
        self.white, self.black = {}, {}
