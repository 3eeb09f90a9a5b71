//! Mayfly only evaluates.
#![forbid(unsafe_code)]
#![deny(warnings)]
mod board;
mod eval;

fn main() {
    let total: i32 = std::env::args().skip(1).enumerate().map(|(i, fen)| (i as i32 + 1) * eval::evaluate(&board::parse(&fen))).sum();
    println!("{} {} {}", total, eval::tables::MASK[1], eval::LOG.len());
}
