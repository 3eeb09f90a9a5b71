// A test of assay_features.rs: odd records, the same in every language.
#[path = "../assay_features.rs"]
mod assay_features;
use assay_features::{Options, Record, Term, Writer};

fn main() {
    let by_side = std::env::args().nth(1).unwrap() == "sides";
    let terms = [
        Term { name: "a", group: "g", mg: 100.0, eg: 120.5, kind: "", asymmetric: false },
        Term { name: "b", group: "g", mg: -3.0, eg: -3.0, kind: "flat", asymmetric: true },
        Term { name: "c", group: "h", mg: 7.0, eg: 7.0, kind: "single", asymmetric: false },
    ];
    let mut w = Writer::new("t\"\\", &terms, Options { unit: 256.0, float: true, by_sign: !by_side, by_side, resolves: true });
    while let Some(fen) = w.next() {
        let n = fen.len() as i32;
        if by_side {
            w.add_sides(2, n as f32, 1.0);
            w.add_sides(0, 0.5, 2.0);
            w.write(&Record { phase: 1.25, offset: -3.5, halves: &[n, 2, 3], scales: [0.5, 0.75], leaf: &fen, ..Record::default() });
        } else {
            w.add(2, n as f32);
            w.add(0, 1.0);
            w.add(0, -1.0);
            w.add(1, -2.0);
            w.write(&Record { phase: 0.5, scale: 2.0, eg_scale: 0.25, offset: -3.5, eval: Some(n as f32), halves: &[n, -n], leaf: &fen, ..Record::default() });
        }
    }
}
