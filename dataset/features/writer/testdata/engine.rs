// A test of assay_features.rs: odd records, the same in every language.
#[path = "../assay_features.rs"]
mod assay_features;
use assay_features::{Options, Record, Term, Writer};

fn main() {
    let by_side = std::env::args().nth(1).unwrap() == "sides";
    let terms = [
        Term { group: "g".into(), ..Term::new("a", 100.0, 120.5) },
        Term { group: "g".into(), kind: "flat", asymmetric: true, ..Term::new("b", -3.0, -3.0) },
        Term { group: "h".into(), kind: "single", ..Term::new("c", 7.0, 7.0) },
        Term { group: "h".into(), kind: "mg", ..Term::new(format!("d.{}", 3), 23.0, 0.0) },
        Term { group: "h".into(), kind: "eg", fixed: true, ..Term::new("e.1.3", 0.0, 1.0) },
    ];
    let mut w = Writer::new("t\"\\", &terms, Options { unit: 256.0, float: true, by_sign: !by_side, by_side, resolves: true });
    while let Some(fen) = w.next() {
        let n = fen.len() as i32;
        if by_side {
            w.add_sides(2, n as f32, 1.0);
            w.add_sides(0, 0.5, 2.0);
            w.add_sides(3, 1.0, 0.0);
            w.write(&Record { phase: 1.25, offset: -3.5, halves: &[n, 2, 3], scales: [0.5, 0.75], leaf: &fen, ..Record::default() });
        } else {
            w.add(2, n as f32);
            w.add(0, 1.0);
            w.add(0, -1.0);
            w.add(1, -2.0);
            w.add(4, 77.0);
            w.write(&Record { phase: 0.5, scale: 2.0, eg_scale: 0.25, offset: -3.5, eval: Some(n as f32), halves: &[n, -n], leaf: &fen, ..Record::default() });
        }
    }
}
