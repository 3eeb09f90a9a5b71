pub struct Board {
    pub squares: [u8; 64], // 0 empty, 1 to 6 White's, 7 to 12 Black's; a8 first
    pub black: bool,
}

pub fn parse(fen: &str) -> Board {
    let mut b = Board { squares: [0; 64], black: fen.split(' ').nth(1) == Some("b") };
    let mut at = 0;
    for c in fen.split(' ').next().unwrap_or("").chars() {
        match c {
            '/' => {}
            '1'..='8' => at += c as usize - '0' as usize,
            _ => {
                b.squares[at] = "PNBRQKpnbrqk".find(c).unwrap_or(0) as u8 + 1;
                at += 1;
            }
        }
    }
    b
}
