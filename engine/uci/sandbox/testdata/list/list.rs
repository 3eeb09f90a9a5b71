// The same as list.py.
use std::io::BufRead;

fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let mut start = String::new();
    for line in std::io::stdin().lock().lines().map(|l| l.unwrap()) {
        match line.split(' ').next().unwrap() {
            "uci" => println!("uciok"),
            "isready" => println!("readyok"),
            "position" => start = line[9..].replace(" moves", "") + " ",
            "go" => {
                let color = start.split(' ').count() % 2;
                let rest = text.lines().skip(color).step_by(2).find_map(|g| g.strip_prefix(start.as_str())).unwrap();
                println!("bestmove {}", rest.split(' ').next().unwrap())
            }
            "quit" => return,
            _ => {}
        }
    }
}
