//! Prints the features of an evaluation for `assay features`: the writer in Rust, standard library alone.
//! dataset/FORMAT.md of assay describes the protocol, assay.features/2. Apache License 2.0.
//!
//!     let mut w = Writer::new("myengine", &terms, Options::default());
//!     while let Some(fen) = w.next() {
//!         w.add(PAWN, 1.0); // for each feature: + White's, - Black's
//!         w.write(&Record { phase, eval: Some(eval), ..Record::default() });
//!     }
//!
//! Everything is from White's view. Print nothing else to the standard output.
#![allow(dead_code)]
use std::io::{BufRead, Write};

/// A term with the values that the engine plays with. kind: "" (tapered), "single", "flat" (after the
/// taper), "mg" or "eg" (of one half alone: the other value is 0 and stays it).
#[derive(Default)]
pub struct Term {
    pub name: String,
    pub group: String, // empty: what stands before the first dot of the name
    pub mg: f64,
    pub eg: f64,
    pub kind: &'static str,
    pub asymmetric: bool, // not the same for both colors on purpose
    pub fixed: bool, // no fit changes it: a part that is not linear, with value 1 and the part as its count
}

impl Term {
    /// A tapered term.
    pub fn new(name: impl Into<String>, mg: f64, eg: f64) -> Term {
        Term { name: name.into(), mg, eg, ..Term::default() }
    }
}

/// What the header says beside the terms; see FORMAT.md.
pub struct Options {
    pub unit: f64,
    pub float: bool,
    pub by_sign: bool,
    pub by_side: bool,
    pub resolves: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { unit: 100.0, float: false, by_sign: false, by_side: false, resolves: false }
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
}

impl Default for Record<'_> {
    fn default() -> Self {
        Record { phase: 1.0, scale: 1.0, eg_scale: 1.0, offset: 0.0, eval: None, halves: &[], scales: [1.0; 2], leaf: "" }
    }
}

pub struct Writer {
    input: std::io::StdinLock<'static>,
    out: std::io::BufWriter<std::io::StdoutLock<'static>>,
    counts: Vec<[f32; 2]>, // by term: White's (or both sides') and Black's
    used: Vec<usize>,
    seen: Vec<bool>,
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
        let list: Vec<String> = terms.iter().map(|t| {
            let mut s = format!("{{\"name\":{},\"mg\":{},\"eg\":{}", quote(&t.name), t.mg, t.eg);
            if !t.group.is_empty() { s += &format!(",\"group\":{}", quote(&t.group)); }
            if !t.kind.is_empty() { s += &format!(",\"kind\":{}", quote(t.kind)); }
            if t.asymmetric { s += ",\"asymmetric\":true"; }
            if t.fixed { s += ",\"fixed\":true"; }
            s + "}"
        }).collect();
        let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
        writeln!(out, "{},\"terms\":[{}]}}", h, list.join(",")).and_then(|_| out.flush()).expect("standard output");
        Writer { input: std::io::stdin().lock(), out, counts: vec![[0.0; 2]; terms.len()], used: vec![], seen: vec![false; terms.len()], options }
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

    pub fn add(&mut self, term: usize, count: f32) { self.add_sides(term, count, 0.0) }

    /// Counts a term where sides are scaled on their own.
    pub fn add_sides(&mut self, term: usize, white: f32, black: f32) {
        assert!(term < self.counts.len(), "assay_features.rs: term {} of {}", term, self.counts.len());
        if !self.seen[term] { self.seen[term] = true; self.used.push(term); }
        self.counts[term][0] += white;
        self.counts[term][1] += black;
    }

    /// Ends a record. eval = offset + flat terms + scale * (phase * MG + (1 - phase) * eg_scale * EG).
    pub fn write(&mut self, r: &Record) {
        let all = std::mem::take(&mut self.used);
        let used: Vec<usize> = all.iter().copied().filter(|&t| self.counts[t] != [0.0; 2]).collect();
        let wide = used.iter().any(|&t| self.counts[t].iter().any(|&c| c as i8 as f32 != c));
        let flags = r.eval.is_some() as u8 | (wide as u8) << 1 | (!r.halves.is_empty() as u8) << 4 | (self.options.by_side as u8) << 5;
        let mut b: Vec<u8> = Vec::with_capacity(64 + 10 * used.len());
        if self.options.resolves { b.extend(r.leaf.as_bytes()); b.push(b'\n'); }
        b.extend((used.len() as u16).to_le_bytes());
        b.extend([flags, 0xA6]);
        for v in [r.phase, r.scale, r.eg_scale, r.offset, r.eval.unwrap_or(0.0)] { b.extend(v.to_le_bytes()); }
        for &t in &used { b.extend((t as u16).to_le_bytes()); }
        for side in 0..1 + self.options.by_side as usize {
            for &t in &used {
                let c = self.counts[t][side];
                if wide { b.extend(c.to_le_bytes()) } else { b.push(c as i8 as u8) }
            }
        }
        for h in r.halves { b.extend(h.to_le_bytes()); }
        if self.options.by_side { for s in r.scales { b.extend(s.to_le_bytes()); } }
        for t in all { self.counts[t] = [0.0; 2]; self.seen[t] = false; }
        self.out.write_all(&b).expect("standard output");
    }
}
