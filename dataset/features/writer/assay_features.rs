//! Prints the features of an evaluation for `assay features`: the writer in Rust, standard library alone.
//! dataset/FORMAT.md of assay describes the protocol, assay.features/2. Apache License 2.0.
//!
//!     let mut w = Writer::new("myengine", &terms, Options::default());
//!     while let Some(fen) = w.next() {
//!         w.add(PAWN, 1.0); // for each feature: + White's, - Black's
//!         w.write(&Record { phase, eval: Some(eval), ..Record::default() });
//!     }
//!
//! An evaluation that is not linear has channels, sums of terms, and a formula of them:
//!
//!     let options = Options {
//!         channels: vec![Channel::new("main", "tapered", false), Channel::new("danger", "plain", true)],
//!         columns: vec![Column { name: "f", sides: true }],
//!         formula: "value = main.mg*phase + main.eg*f.white*(1 - phase) + balance(max(danger, 0)^2)/divisor",
//!         ..Options::default()
//!     };
//!
//! Its terms name their channel, its scalars ("divisor") have the kind "scalar" and none; add_sides counts the
//! terms of channels of each side, and Record.columns has the numbers of the columns. skip("KPK", "")
//! in place of write leaves a position out.
//!
//! load("tuned/weights.json", &mut terms) gives terms the weights of a fit, to play with them without new source.
//!
//! Everything is from White's view. Print nothing else to the standard output.
#![allow(dead_code)]
use std::io::{BufRead, Write};

/// A term with the values that the engine plays with. kind: "" (tapered), "single", "flat" (after the
/// taper), "mg" or "eg" (of one half alone: the other value is 0 and stays it). With a formula a term has
/// the name of its channel (empty: the first); a term of a plain channel has one value, mg, and so has a
/// number of the formula, of kind "scalar", which a fit rounds to a multiple of step (0: 1). Scalars
/// NAME.0, NAME.1 and so on are a table.
#[derive(Default)]
pub struct Term {
    pub name: String,
    pub group: String, // empty: what stands before the first dot of the name
    pub mg: f64,
    pub eg: f64,
    pub kind: &'static str,
    pub asymmetric: bool, // not the same for both colors on purpose
    pub fixed: bool, // no fit changes it: a part that is not linear, with value 1 and the part as its count
    pub channel: &'static str,
    pub step: f64,
}

impl Term {
    /// A tapered term.
    pub fn new(name: impl Into<String>, mg: f64, eg: f64) -> Term {
        Term { name: name.into(), mg, eg, ..Term::default() }
    }
}

/// Gives the terms the values of a weight file, as assay tune wrote it: one term a line. It must have all of
/// them, by name, and no others; after an error the terms are as before.
pub fn load(path: &str, terms: &mut [Term]) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {}", path, e))?;
    if !text.contains("\"format\": \"assay.weights/1\"") { return Err(format!("{} is no weight file of assay", path)); }
    let mut values = std::collections::HashMap::new();
    for line in text.lines().filter_map(|l| l.trim_start().strip_prefix("{\"name\": \"")) {
        let value = |key: &str| {
            let rest = &line[line.find(key)? + key.len()..];
            rest[..rest.find(|c: char| c == ',' || c == '}')?].parse::<f64>().ok()
        };
        let mg = value("\"mg\": ").ok_or_else(|| format!("{}: no value in {}", path, line))?;
        values.insert(unquote(line), (mg, value("\"eg\": ").unwrap_or(mg)));
    }
    if let Some(t) = terms.iter().find(|t| !values.contains_key(&t.name)) { return Err(format!("{} has no term {}", path, t.name)); }
    if values.len() != terms.len() { return Err(format!("{} has {} terms, want {}", path, values.len(), terms.len())); }
    for t in terms.iter_mut() {
        let step = if t.kind == "scalar" && t.step != 0.0 { t.step } else { 1.0 };
        let (mg, eg) = values[&t.name];
        t.mg = mg * step;
        t.eg = eg * step;
    }
    Ok(())
}

/// The text up to the quotation mark.
fn unquote(s: &str) -> String {
    let (mut out, mut chars) = (String::new(), s.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => match chars.next() {
                Some('u') => {
                    let code: String = chars.by_ref().take(4).collect();
                    out.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
                }
                other => out.extend(other),
            },
            c => out.push(c),
        }
    }
    out
}

/// A sum of terms that a formula uses. kind: "tapered", or "plain" (one sum, not two halves). With sides
/// there is one of White's counts and one of Black's.
pub struct Channel {
    pub name: &'static str,
    pub kind: &'static str,
    pub sides: bool,
}

impl Channel {
    pub fn new(name: &'static str, kind: &'static str, sides: bool) -> Channel {
        Channel { name, kind, sides }
    }
}

/// A number of each position that a formula uses; with sides two, White's and Black's.
pub struct Column {
    pub name: &'static str,
    pub sides: bool,
}

/// What the header says beside the terms; see FORMAT.md.
pub struct Options {
    pub unit: f64,
    pub float: bool,
    pub by_sign: bool,
    pub by_side: bool,
    pub resolves: bool,
    pub channels: Vec<Channel>,
    pub columns: Vec<Column>,
    pub formula: &'static str,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            unit: 100.0, float: false, by_sign: false, by_side: false, resolves: false,
            channels: vec![], columns: vec![], formula: "",
        }
    }
}

impl Options {
    /// Reports whether records count each side on its own.
    fn sides(&self) -> bool { self.by_side || self.channels.iter().any(|c| c.sides) }

    /// Reports whether each side of a term is counted.
    fn sided(&self, t: &Term) -> bool {
        let channel = self.channels.iter().find(|c| t.channel.is_empty() || c.name == t.channel);
        self.by_side || t.kind != "scalar" && channel.map_or(false, |c| c.sides)
    }

    /// How many numbers a record has in its columns.
    fn numbers(&self) -> usize { self.columns.iter().map(|c| 1 + c.sides as usize).sum() }

    /// Reports whether a term has one value.
    fn single(&self, t: &Term) -> bool {
        let channel = self.channels.iter().find(|c| t.channel.is_empty() || c.name == t.channel);
        t.kind == "scalar" || channel.map_or(false, |c| c.kind == "plain")
    }

    /// The part of the header about a formula.
    fn bend(&self) -> String {
        if self.formula.is_empty() { return String::new(); }
        let sides = |s: bool| if s { ",\"sides\":true" } else { "" };
        let channels: Vec<String> = self.channels.iter()
            .map(|c| format!("{{\"name\":{},\"kind\":{}{}}}", quote(c.name), quote(c.kind), sides(c.sides))).collect();
        let columns: Vec<String> = self.columns.iter().map(|c| format!("{{\"name\":{}{}}}", quote(c.name), sides(c.sides))).collect();
        format!(",\"formula\":{},\"channels\":[{}],\"columns\":[{}]", quote(self.formula), channels.join(","), columns.join(","))
    }
}

/// What is known of a position beside its counts.
pub struct Record<'a> {
    pub phase: f32,
    pub scale: f32,
    pub eg_scale: f32,
    pub offset: f32,
    pub eval: Option<f32>,
    pub halves: &'a [i32],  // middlegame and endgame; by side White's and Black's endgame
    pub scales: [f32; 2],   // by side: White's and Black's
    pub leaf: &'a str,      // FEN, with resolves
    pub columns: &'a [f32], // with a formula: the numbers of the columns in order, White's before Black's
}

impl Default for Record<'_> {
    fn default() -> Self {
        Record { phase: 1.0, scale: 1.0, eg_scale: 1.0, offset: 0.0, eval: None, halves: &[], scales: [1.0; 2], leaf: "", columns: &[] }
    }
}

pub struct Writer {
    input: std::io::StdinLock<'static>,
    out: std::io::BufWriter<std::io::StdoutLock<'static>>,
    counts: Vec<[f64; 2]>, // a sum of f32 would depend on the order // by term: White's (or both sides') and Black's
    used: Vec<usize>,
    seen: Vec<bool>,
    sided: Vec<bool>, // by term: each side is counted
    options: Options,
}

fn quote(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' | '\\' => { out.push('\\'); out.push(c) }
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

impl Writer {
    pub fn new(model: &str, terms: &[Term], options: Options) -> Writer {
        let mut h = format!("{{\"format\":\"assay.features/2\",\"records\":\"binary\",\"model\":{},\"unit\":{}", quote(model), options.unit);
        for (name, set) in [("float", options.float), ("by_side", options.by_side), ("resolves", options.resolves)] {
            if set { h += &format!(",\"{}\":true", name); }
        }
        if options.by_sign { h += ",\"eg_scale\":\"sign\""; }
        h += &options.bend();
        let list: Vec<String> = terms.iter().map(|t| {
            let mut s = format!("{{\"name\":{},\"mg\":{},\"eg\":{}", quote(&t.name), t.mg, if options.single(t) { t.mg } else { t.eg });
            if !t.group.is_empty() { s += &format!(",\"group\":{}", quote(&t.group)); }
            if !t.kind.is_empty() { s += &format!(",\"kind\":{}", quote(t.kind)); }
            if t.asymmetric { s += ",\"asymmetric\":true"; }
            if t.fixed { s += ",\"fixed\":true"; }
            if !t.channel.is_empty() { s += &format!(",\"channel\":{}", quote(t.channel)); }
            if t.step != 0.0 { s += &format!(",\"step\":{}", t.step); }
            s + "}"
        }).collect();
        let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
        writeln!(out, "{},\"terms\":[{}]}}", h, list.join(",")).and_then(|_| out.flush()).expect("standard output");
        Writer { input: std::io::stdin().lock(), out, counts: vec![[0.0; 2]; terms.len()], used: vec![], seen: vec![false; terms.len()], sided: terms.iter().map(|t| options.sided(t)).collect(), options }
    }

    /// The FEN of the next position, None at the end. An empty line asks for what was printed so far.
    pub fn next(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            let n = self.input.read_line(&mut line).expect("standard input");
            let fen = line.trim();
            if !fen.is_empty() { return Some(fen.to_string()); }
            self.out.flush().expect("standard output");
            if n == 0 { return None; }
        }
    }

    pub fn add(&mut self, term: usize, count: f32) {
        assert!(!self.sided.get(term).copied().unwrap_or(false), "assay_features.rs: each side of term {} is counted: use add_sides(term, white, black), not add", term);
        self.count(term, count, 0.0)
    }

    /// Counts a term where sides are scaled on their own, or one of a channel of each side.
    pub fn add_sides(&mut self, term: usize, white: f32, black: f32) {
        assert!(black == 0.0 || !self.options.sides() || self.sided.get(term).copied().unwrap_or(true), "assay_features.rs: the channel of term {} does not count each side: use add(term, white - black), not add_sides", term);
        self.count(term, white, black)
    }

    fn count(&mut self, term: usize, white: f32, black: f32) {
        assert!(term < self.counts.len(), "assay_features.rs: term {} of {}", term, self.counts.len());
        assert!(black == 0.0 || self.options.sides(), "assay_features.rs: a count of Black for term {}, but neither by_side nor a channel with sides", term);
        if !self.seen[term] { self.seen[term] = true; self.used.push(term); }
        self.counts[term][0] += white as f64;
        self.counts[term][1] += black as f64;
    }

    /// Ends a record, with a formula: why no fit takes the position. leaf is its FEN, with resolves.
    pub fn skip(&mut self, reason: &str, leaf: &str) {
        assert!(!reason.is_empty(), "assay_features.rs: skip without a reason");
        let text = &reason.as_bytes()[..reason.len().min(255)];
        let mut b: Vec<u8> = vec![];
        if self.options.resolves { b.extend(leaf.as_bytes()); b.push(b'\n'); }
        b.extend([0, 0, 64, 0xA6]);
        b.extend([0; 20]);
        b.push(text.len() as u8);
        b.extend(text);
        for t in std::mem::take(&mut self.used) { self.counts[t] = [0.0; 2]; self.seen[t] = false; }
        self.out.write_all(&b).expect("standard output");
    }

    /// Ends a record. eval is the formula's value or, without one, offset + flat terms
    /// + scale * (phase * MG + (1 - phase) * eg_scale * EG).
    pub fn write(&mut self, r: &Record) {
        let (sides, numbers) = (self.options.sides(), self.options.numbers());
        assert!(r.columns.len() == numbers, "assay_features.rs: {} numbers in columns, want {}", r.columns.len(), numbers);
        let all = std::mem::take(&mut self.used);
        let used: Vec<usize> = all.iter().copied().filter(|&t| self.counts[t].iter().any(|c| c.abs() > 1e-9)).collect();
        let wide = used.iter().any(|&t| self.counts[t].iter().any(|&c| c as f32 as i8 as f32 != c as f32));
        let flags = r.eval.is_some() as u8 | (wide as u8) << 1 | (!r.halves.is_empty() as u8) << 4 | (self.options.by_side as u8) << 5
            | ((sides && !self.options.by_side) as u8) << 2 | ((numbers > 0) as u8) << 3;
        let mut b: Vec<u8> = Vec::with_capacity(64 + 10 * used.len());
        if self.options.resolves { b.extend(r.leaf.as_bytes()); b.push(b'\n'); }
        b.extend((used.len() as u16).to_le_bytes());
        b.extend([flags, 0xA6]);
        for v in [r.phase, r.scale, r.eg_scale, r.offset, r.eval.unwrap_or(0.0)] { b.extend(v.to_le_bytes()); }
        for &t in &used { b.extend((t as u16).to_le_bytes()); }
        for side in 0..1 + sides as usize {
            for &t in &used {
                let c = self.counts[t][side] as f32;
                if wide { b.extend(c.to_le_bytes()) } else { b.push(c as i8 as u8) }
            }
        }
        for h in r.halves { b.extend(h.to_le_bytes()); }
        if self.options.by_side { for s in r.scales { b.extend(s.to_le_bytes()); } }
        for v in r.columns { b.extend(v.to_le_bytes()); }
        for t in all { self.counts[t] = [0.0; 2]; self.seen[t] = false; }
        self.out.write_all(&b).expect("standard output");
    }
}
