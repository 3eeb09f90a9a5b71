// The same as list.py.
const games = require("fs").readFileSync(process.argv[2], "utf8").split("\n");
let start = "";
require("readline").createInterface({ input: process.stdin }).on("line", line => {
  const word = line.trim().split(" ");
  if (word[0] == "uci") console.log("uciok");
  if (word[0] == "isready") console.log("readyok");
  if (word[0] == "position") start = word.slice(1).filter(w => w != "moves").join(" ") + " ";
  if (word[0] == "go") {
    const game = games.find((g, i) => i % 2 == start.split(" ").length % 2 && g.startsWith(start));
    console.log("bestmove " + game.slice(start.length).split(" ")[0]);
  }
  if (word[0] == "quit") process.exit();
});
