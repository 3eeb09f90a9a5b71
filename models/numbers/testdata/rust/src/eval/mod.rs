pub mod tables;

use crate::board::Board;
use tables::*;

pub struct Pair {
    pub mg: i32,
    pub eg: i32,
}

#[allow(non_snake_case)]
pub const fn S(mg: i16, eg: i16) -> i32 {
    ((eg as i32) << 16) + mg as i32
}

pub static LOG: [i32; RANKS as usize] = [0; RANKS as usize];

fn split(s: i32) -> (i32, i32) {
    (s as i16 as i32, (s + 0x8000) >> 16)
}

/// From White's view.
pub fn evaluate(b: &Board) -> i32 {
    static TWICE: [i32; 2] = [2 * TEMPO, -TEMPO];
    let (mut mg, mut eg, mut score, mut phase) = (OPEN.mg, OPEN.eg, 0, 0);
    for (at, &piece) in b.squares.iter().enumerate().filter(|s| *s.1 != 0) {
        let (side, sign, kind) = if piece > 6 { (1, -1, piece as usize - 7) } else { (0, 1, piece as usize - 1) };
        phase += 1;
        score += BOTH[side][kind % 3][at / 8] as i32 + sign * PST[kind % 3][at % 8] as i32 / 2;
        for s in [MOBILITY[(at + kind) % 3], PACKED[at % 3]] {
            mg += sign * split(s).0;
            eg += sign * split(s).1;
        }
        if at % 8 == 3 {
            score += sign * (WIDE + CENTRE) as i32;
        }
        match score {
            LAZY => score += ISOLATED,
            _ => score += Old::BONUS,
        }
    }
    if b.squares[0] == 0 {
        score += ISOLATED + NAME.len() as i32 + raw(NAME).0.len() as i32;
    }
    score += (mg * phase + eg * (32 - phase)) / GRAIN + (phase as f64 * SCALE) as i32;
    score + if b.black { TWICE[1] } else { TWICE[0] } + if score > MATE { 1 } else { 0 }
}
