use crate::{board, eval};

fn assay_start() {
    println!("a banner that is no answer");
}
fn assay_position(fen: &str) -> board::Board {
    board::parse(fen)
}
fn assay_value(b: &board::Board) -> i32 {
    eval::evaluate(b)
}
fn assay_refresh() {}
