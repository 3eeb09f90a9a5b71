"""Prints the features of an evaluation for `assay features`: the writer in Python, standard library alone.
dataset/FORMAT.md of assay describes the protocol, assay.features/2. Apache License 2.0.

    w = Writer("myengine", [Term("pawn", "material", 100, 120), Term("tempo", "tempo", 12, 12, "flat")])
    for fen in w.positions():
        w.add(0, +1)                    # for each feature: + White's, - Black's
        w.write(phase, scale=1, eg_scale=1, offset=0, eval=eval, halves=(mg, eg))

An evaluation that is not linear has channels, sums of terms, and a formula of them:

    w = Writer("myengine", terms, channels=[Channel("main"), Channel("danger", "plain", sides=True)],
               columns=[Column("f", sides=True)],
               formula="value = main.mg*phase + main.eg*f.white*(1 - phase) + balance(max(danger, 0)^2)/divisor")

Its terms name their channel, its scalars ("divisor") have the kind "scalar" and none; add_sides counts the
terms of channels of each side, write(phase, columns=(...)) has the numbers of the columns, and skip("KPK")
in place of write leaves a position out.

load("tuned/weights.json", terms) gives terms the weights of a fit, to play with them without new source.

Everything is from White's view. Print nothing else to the standard output.
"""
import json
import struct
import sys
from dataclasses import dataclass


@dataclass
class Term:
    """A term with the values that the engine plays with. kind: "" (tapered), "single", "flat" (after the taper), "mg"
    or "eg" (of one half alone: the other value is 0 and stays it). With a formula a term has the name of its channel
    (empty: the first); a term of a plain channel has one value, mg, and so has a number of the formula, of kind "scalar",
    which a fit rounds to a multiple of step (0: 1). Scalars NAME.0, NAME.1 and so on are a table."""
    name: str
    group: str
    mg: float
    eg: float = 0
    kind: str = ""
    asymmetric: bool = False  # not the same for both colors on purpose
    fixed: bool = False  # no fit changes it: a part that is not linear, with value 1 and the part as its count
    channel: str = ""
    step: float = 0

    def header(self, plain):
        single = self.kind == "scalar" or self.channel in plain
        h = {"name": self.name, "mg": self.mg, "eg": self.mg if single else self.eg}
        for name in ("group", "channel", "step"):
            if getattr(self, name):
                h[name] = getattr(self, name)
        if self.kind:
            h["kind"] = self.kind
        if self.asymmetric:
            h["asymmetric"] = True
        if self.fixed:
            h["fixed"] = True
        return h


@dataclass
class Channel:
    """A sum of terms that a formula uses: "tapered", or "plain" (one sum, not two halves). With sides there is
    one of White's counts and one of Black's."""
    name: str
    kind: str = "tapered"
    sides: bool = False

    def header(self):
        return {"name": self.name, "kind": self.kind} | ({"sides": True} if self.sides else {})


@dataclass
class Column:
    """A number of each position that a formula uses; with sides two, White's and Black's."""
    name: str
    sides: bool = False

    def header(self):
        return {"name": self.name} | ({"sides": True} if self.sides else {})


def load(path, terms):
    """Gives the terms the values of a weight file. It must have all of them, by name, and no others; else ValueError,
    and the terms are as before."""
    with open(path, encoding="utf-8") as f:
        file = json.load(f)
    if not isinstance(file, dict) or file.get("format") != "assay.weights/1":
        raise ValueError(f"{path} is no weight file of assay")
    values = {t["name"]: t for t in file["terms"]}
    wrong = sorted(values.keys() ^ {t.name for t in terms})
    if wrong:
        raise ValueError(f"{path}: only the file or only the engine has the term {wrong[0]!r}")
    for t in terms:
        v = values[t.name]
        step = (t.step or 1) if t.kind == "scalar" else 1
        t.mg, t.eg = v["mg"] * step, v.get("eg", v["mg"]) * step


class Writer:
    def __init__(self, model, terms, unit=100, float_counts=False, by_sign=False, by_side=False, resolves=False,
                 channels=(), columns=(), formula=""):
        self.terms, self.by_side, self.resolves = len(terms), by_side, resolves
        self.sides = by_side or any(c.sides for c in channels)
        self.numbers = sum(1 + c.sides for c in columns)
        self.white, self.black = {}, {}  # counts by term; white holds both sides' where they are not told apart
        h = {"format": "assay.features/2", "records": "binary", "model": model, "unit": unit}
        for name, value in (("float", float_counts), ("by_side", by_side), ("resolves", resolves)):
            if value:
                h[name] = True
        if by_sign:
            h["eg_scale"] = "sign"
        for name, value in (("formula", formula), ("channels", [c.header() for c in channels]), ("columns", [c.header() for c in columns])):
            if value:
                h[name] = value
        plain = {c.name for c in channels if c.kind == "plain"}
        if channels and channels[0].kind == "plain":
            plain.add("")
        h["terms"] = [t.header(plain) for t in terms]
        sided = {c.name for c in channels if c.sides}
        if channels and channels[0].sides:
            sided.add("")
        self.sided = [by_side or t.kind != "scalar" and t.channel in sided for t in terms]  # each side is counted
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
        if 0 <= term < self.terms and self.sided[term]:
            sys.exit(f"assay_features.py: each side of term {term} is counted: use add_sides(term, white, black), not add")
        self.add_sides(term, count, 0)

    def add_sides(self, term, white, black):
        """Counts a term where sides are scaled on their own, or one of a channel of each side."""
        if not 0 <= term < self.terms:
            sys.exit(f"assay_features.py: term {term} of {self.terms}")
        if black and not self.sides:
            sys.exit(f"assay_features.py: a count of Black for term {term}, but neither by_side nor a channel with sides")
        if black and not self.sided[term]:
            sys.exit(f"assay_features.py: the channel of term {term} does not count each side: use add(term, white - black), not add_sides")
        self.white[term] = self.white.get(term, 0) + white
        self.black[term] = self.black.get(term, 0) + black

    def skip(self, reason, leaf=""):
        """Ends a record, with a formula: why no fit takes the position."""
        text = reason.encode()[:255]
        if not text:
            sys.exit("assay_features.py: skip without a reason")
        if self.resolves:
            self.out.write(leaf.encode() + b"\n")
        self.out.write(struct.pack("<HBB5fB", 0, 64, 0xA6, 0, 0, 0, 0, 0, len(text)) + text)
        self.white, self.black = {}, {}

    def write(self, phase, scale=1, eg_scale=1, offset=0, eval=None, halves=(), scales=(1, 1), leaf="", columns=()):
        """Ends a record. eval is the formula's value or, without one, offset + flat terms + scale * (phase * MG +
        (1 - phase) * eg_scale * EG). columns has the numbers of all columns, White's before Black's."""
        if len(columns) != self.numbers:
            sys.exit(f"assay_features.py: {len(columns)} numbers in columns, want {self.numbers}")
        used = [t for t in self.white if abs(self.white[t]) > 1e-9 or abs(self.black[t]) > 1e-9]
        counts = [self.white[t] for t in used]
        if self.sides:
            counts += [self.black[t] for t in used]
        counts = struct.unpack(f"<{len(counts)}f", struct.pack(f"<{len(counts)}f", *counts))  # as they are stored
        wide = any(c != int(c) or not -128 <= c <= 127 for c in counts)
        flags = (eval is not None) | 2 * wide | 16 * bool(halves) | 32 * self.by_side | 4 * (self.sides and not self.by_side) | 8 * bool(columns)
        if self.resolves:
            self.out.write(leaf.encode() + b"\n")
        form = "f" if wide else "b"
        self.out.write(struct.pack(
            f"<HBB5f{len(used)}H{len(counts)}{form}{len(halves)}i", len(used), flags, 0xA6, phase, scale, eg_scale, offset,
            eval or 0, *used, *(counts if wide else map(int, counts)), *halves))
        if self.by_side:
            self.out.write(struct.pack("<2f", *scales))
        self.out.write(struct.pack(f"<{len(columns)}f", *columns))
        self.white, self.black = {}, {}
