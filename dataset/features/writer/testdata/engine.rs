// A test of assay_features.rs: odd records, the same in every language.
#[path = "../assay_features.rs"]
mod assay_features;
use assay_features::{load, Channel, Column, Options, Record, Term, Writer};

fn bent() {
    let terms = [
        Term { group: "g".into(), channel: "main", ..Term::new("a", 100.0, 120.5) },
        Term { group: "h".into(), kind: "single", channel: "danger", ..Term::new("b", 3.0, 0.0) },
        Term { kind: "scalar", step: 0.5, ..Term::new("k", 2.5, 0.0) },
    ];
    let mut w = Writer::new("bent", &terms, Options {
        channels: vec![Channel::new("main", "tapered", false), Channel::new("danger", "plain", true)],
        columns: vec![Column { name: "f", sides: true }, Column { name: "g", sides: false }],
        formula: "value = main.mg*phase + main.eg*(1 - phase) # \"odd\"\n + balance(danger^2*f)/k + g",
        ..Options::default()
    });
    while let Some(fen) = w.next() {
        let n = fen.len() as f32;
        if n < 10.0 {
            w.add(0, 9.0);
            w.skip("KPK", "");
            continue;
        }
        w.add(0, 2.0);
        w.add_sides(1, n, 1.0);
        w.add_sides(1, 0.0, 0.25);
        w.write(&Record { phase: 0.5, eval: Some(n), columns: &[0.5, 0.75, n], ..Record::default() });
    }
}

/// Prints the terms with the weights of a file.
fn loaded(file: &str) {
    let mut t = [
        Term::new("a", 5.0, 6.0),
        Term { kind: "single", ..Term::new("b<\"\\", 0.0, 0.0) },
        Term { kind: "scalar", step: 0.5, ..Term::new("k", 9.0, 0.0) },
    ];
    match load(file, &mut t) {
        Ok(()) => println!("{} {} {} {} {}", t[0].mg, t[0].eg, t[1].mg, t[1].eg, t[2].mg),
        Err(_) if t[0].mg == 5.0 && t[0].eg == 6.0 && t[1].mg == 0.0 && t[2].mg == 9.0 => println!("error"),
        Err(_) => (),
    }
}

fn main() {
    if std::env::args().nth(1).unwrap() == "load" { return loaded(&std::env::args().nth(2).unwrap()); }
    if std::env::args().nth(1).unwrap() == "bent" { return bent(); }
    let by_side = std::env::args().nth(1).unwrap() == "sides";
    let terms = [
        Term { group: "g".into(), ..Term::new("a", 100.0, 120.5) },
        Term { group: "g".into(), kind: "flat", asymmetric: true, ..Term::new("b", -3.0, -3.0) },
        Term { group: "h".into(), kind: "single", ..Term::new("c", 7.0, 7.0) },
        Term { group: "h".into(), kind: "mg", ..Term::new(format!("d.{}", 3), 23.0, 0.0) },
        Term { group: "h".into(), kind: "eg", fixed: true, ..Term::new("e.1.3", 0.0, 1.0) },
    ];
    let mut w = Writer::new("t\"\\", &terms, Options { unit: 256.0, float: true, by_sign: !by_side, by_side, resolves: true, ..Options::default() });
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
