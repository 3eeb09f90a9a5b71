//! The numbers.
use super::{Pair, S};

pub const TEMPO: i32 = 9;
pub(crate) const CENTRE: i16 = 3_i16; // CENTRE = 99; is a comment
pub const ISOLATED: i32 = -12 + 5;
pub const MATE: i32 = 30_000;
pub const RANKS: i32 = 8;
pub const LAZY: i32 = 4;
pub const GRAIN: i32 = 32;
pub const OPEN: Pair = Pair { mg: 7, eg: -3 };
pub const SCALE: f64 = 0.5;
pub const MASK: [u64; 2] = [12, 13];
pub const WIDE: i16 = CENTRE * 4;
pub static NAME: &str = "S(12, -5) /* no number */ \" 7";
const RAW: &str = r#"const A: i32 = 3; ""#;

macro_rules! s {
    ($mg:expr, $eg:expr) => {
        S($mg, $eg)
    };
}

#[rustfmt::skip]
pub const MOBILITY: [i32; 3] = [S(-10, -20), s!(0, 4), S( 8,  12)];
#[cfg(not(windows))]
pub static PACKED: &[i32] = &[s!(12, -5), S(-3, 40), 6 + 2 * S(1, 1)];
#[cfg(windows)]
pub static PACKED: &[i32] = &[s!(1, 1)];

#[rustfmt::skip]
pub static PST: [[i16; 8]; 3] = [
    [ 0, 5, 10, 20, 30, 50, 80, 0],
    /* knights /* and */ more */ [-20, 0, 5, 10, 15, 10, 0, 8],
    [4; 8],
];

/// Made by a const function.
pub const BOTH: [[[i16; 8]; 3]; 2] = {
    let mut both = [[[0; 8]; 3]; 2];
    let mut piece = 0;
    while piece < 3 {
        let mut row = 0;
        while row < 8 {
            both[0][piece][row] = -flipped(piece, 7 - row);
            both[1][piece][row] = flipped(piece, row);
            row += 1;
        }
        piece += 1;
    }
    both
};
const PST_COPY: [[i16; 8]; 3] = [[0, 5, 10, 20, 30, 50, 80, 0], [-20, 0, 5, 10, 15, 10, 0, 8], [4; 8]];

const fn flipped(piece: usize, row: usize) -> i16 {
    -PST_COPY[piece][7 - row]
}

pub struct Old;
impl Old {
    pub const BONUS: i32 = 11;
}

pub fn raw<'a>(x: &'a str) -> (&'a str, char) {
    (if x.is_empty() { RAW } else { x }, '"')
}

#[cfg(test)]
mod tests {
    const TEMPO: i32 = 5;
}
