"use strict";
(() => {
const make = (tag, attrs = {}, text = "") => {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v);
  e.textContent = text; // never as HTML: names are text that others wrote
  return e;
};

// Tables: a button in each heading sorts by it.
function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((th, column) => {
    const button = make("button", { type: "button" }, th.textContent);
    th.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = th.getAttribute("aria-sort") === "descending" ? false : th.getAttribute("aria-sort") === "ascending";
      heads.forEach(h => h.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const rows = [...body.rows].map(row => {
        const cell = row.cells[column], text = (cell?.textContent ?? "").trim().replace(/^[–-]$/, "");
        return { row, text, number: text === "" ? NaN : Number(text) };
      });
      const numbers = rows.some(r => !Number.isNaN(r.number)) && rows.every(r => r.text === "" || !Number.isNaN(r.number));
      rows.sort((a, b) => {
        const order = numbers ? (Number.isNaN(a.number) ? -Infinity : a.number) - (Number.isNaN(b.number) ? -Infinity : b.number) || 0 : a.text.localeCompare(b.text, "en", { numeric: true });
        return down ? -order : order;
      });
      body.append(...rows.map(r => r.row));
    });
  });
}

// A choice does what the headings do, which a narrow page does not show.
function sorter(select) {
  const buttons = [...document.querySelector(`#${select.dataset.table} table`).querySelectorAll("thead button")];
  select.append(...["start", ...buttons.flatMap(b => [b.textContent + " ▲", b.textContent + " ▼"])].map((text, i) => make("option", { value: i }, text)));
  select.options[0].disabled = true;
  select.addEventListener("change", () => {
    const b = buttons[(select.value - 1) >> 1], want = select.value % 2 ? "ascending" : "descending";
    for (let i = 0; i < 2 && b.parentElement.getAttribute("aria-sort") !== want; i++) b.click();
  });
}

// Some engines call a8 the square 0.
function flip(box) {
  box.addEventListener("change", () => box.closest(".body").querySelectorAll(".numbered tbody").forEach(body => {
    const rows = [...body.rows], ranks = rows.map(r => r.cells[0].textContent);
    body.append(...rows.reverse());
    rows.forEach((r, i) => { r.cells[0].textContent = ranks[i]; });
  }));
}

// A search field hides the rows that lack one of its words.
function filter(input) {
  const table = document.querySelector(`#${input.dataset.table} table`);
  const count = input.closest(".controls").querySelector(".count");
  const rows = [...table.tBodies[0].rows].map(row => [row, row.cells[0].textContent.toLowerCase()]);
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every(w => text.includes(w));
      shown += !row.hidden;
    }
    count.textContent = `${shown} of ${rows.length} shown`;
  };
  input.addEventListener("input", apply);
  apply();
}

// The board. A move is from | to<<6 | promotion<<12, castling is king takes own rook.
const glyphs = { P: "♟", N: "♞", B: "♝", R: "♜", Q: "♛", K: "♚" };
const pieceNames = { P: "pawn", N: "knight", B: "bishop", R: "rook", Q: "queen", K: "king" };
const square = s => "abcdefgh"[s & 7] + ((s >> 3) + 1);

function parseFEN(fen) {
  const board = new Array(64).fill("");
  (fen || "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w").split(" ")[0].split("/").forEach((rank, i) => {
    let file = 0;
    for (const c of rank) c >= "1" && c <= "8" ? file += Number(c) : board[8 * (7 - i) + file++] = c;
  });
  return board;
}

const isWhite = piece => piece === piece.toUpperCase();

function move(board, m) {
  const b = board.slice(), from = m & 63, to = m >> 6 & 63, promotion = m >> 12;
  const piece = b[from], target = b[to];
  b[from] = "";
  if ((piece === "K" && target === "R") || (piece === "k" && target === "r")) {
    b[to] = "";
    const rank = from & 56, short = to > from;
    b[rank + (short ? 6 : 2)] = piece;
    b[rank + (short ? 5 : 3)] = target;
    return b;
  }
  if (piece.toLowerCase() === "p" && (from & 7) !== (to & 7) && !target) b[(from & 56) + (to & 7)] = "";
  b[to] = promotion ? (isWhite(piece) ? "NBRQ" : "nbrq")[promotion - 1] : piece;
  return b;
}

function words16(text, signed) {
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 2 }, (_, i) => signed ? view.getInt16(2 * i, true) : view.getUint16(2 * i, true));
}

const results = { "1": "1-0", "0": "1/2-1/2", "-1": "0-1" };
const scoreText = s => s === -32768 ? "no score" : Math.abs(s) > 30000 ? `${s < 0 ? "−" : "+"}mate in ${Math.ceil((32000 - Math.abs(s)) / 2)}` : `${s < 0 ? "−" : "+"}${(Math.abs(s) / 100).toFixed(2)}`;
const brief = text => text.length > 40 ? text.slice(0, 20) + "…" + text.slice(-19) : text;

// pgn writes a game in export format: the scores are comments.
function pgn(game, players, event) {
  const tag = (name, value) => `[${name} "${String(value).replace(/[\\"]/g, "\\$&").replace(/\s/g, " ")}"]\n`;
  let text = tag("Event", event) + tag("Site", "assay") + tag("Date", "????.??.??") + tag("Round", game.n + 1) + tag("White", players[game.w]) + tag("Black", players[game.b]) + tag("Result", results[game.r]);
  if (game.f) text += tag("SetUp", 1) + tag("FEN", game.f);
  text += tag("PlyCount", moveTexts(game).length) + tag("Termination", game.t) + "\n";
  const scores = words16(game.s, true), first = firstMove(game);
  let line = "";
  const put = word => { if (line.length + word.length > 78) { text += line + "\n"; line = ""; } line += (line ? " " : "") + word; };
  moveTexts(game).forEach((san, i) => {
    const n = first + i;
    if (n % 2 === 0 || i === 0) put(`${1 + (n >> 1)}.${n % 2 ? ".." : ""}`);
    put(san);
    if (scores[i] !== -32768) put(`{${scoreText(scores[i]).replace("−", "-")}}`);
  });
  put(results[game.r]);
  return text + line + "\n";
}

const moveTexts = game => game.a.split(" ").filter(Boolean);
// firstMove is the number of plies before the game: its moves are counted from the FEN's.
function firstMove(game) {
  const fen = (game.f || "").split(" ");
  return 2 * (Math.max(1, Number(fen[5]) || 1) - 1) + (fen[1] === "b" ? 1 : 0);
}

// The place of a game and of a position in the page's address: #game=12&ply=30&of=gen-1/games.
function placeInAddress() {
  const at = new URLSearchParams(location.hash.slice(1));
  return at.has("game") ? { n: Number(at.get("game")), ply: at.has("ply") ? Number(at.get("ply")) : -1, dir: at.get("of") } : null;
}

function replay(root) {
  const $ = s => root.querySelector(s);
  const sets = JSON.parse(document.getElementById("game-data").textContent);
  const board = $(".chessboard"), slider = $(".ply"), list = $(".moves");
  let set = sets[0], found = [], page = 0, game, players, boards, moves, scores, ply = 0, timer = 0, flipped = false;

  // The squares, with the names of ranks and files at the edge.
  const cells = [], edges = [];
  for (let s = 0; s < 64; s++) {
    cells[s] = make("span", { "data-square": square(s) });
    if (((s >> 3) + s) % 2 === 0) cells[s].classList.add("d");
  }
  for (let i = 0; i < 8; i++) edges.push(make("span", { class: "edge", "aria-hidden": "true" }, String(i + 1)), make("span", { class: "edge", "aria-hidden": "true" }, "abcdefgh"[i]));
  board.append(...cells, ...edges);
  function place() {
    const row = rank => flipped ? rank + 1 : 8 - rank, column = file => flipped ? 9 - file : file + 2;
    cells.forEach((e, s) => { e.style.gridArea = `${row(s >> 3)} / ${column(s & 7)}`; });
    edges.forEach((e, i) => { e.style.gridArea = i % 2 ? `9 / ${column(i >> 1)}` : `${row(i >> 1)} / 1`; });
    showPlayers();
  }

  // The games of a folder.
  function pick(i) {
    set = sets[i];
    $(".set").value = i;
    $(".note").textContent = `${set.games.length} of ${set.total} games are on this page.`;
    find();
  }

  function find() {
    const words = $(".find").value.toLowerCase().split(/\s+/).filter(Boolean);
    found = set.games.filter(g => {
      const all = `${g.n} ${set.players[g.w]} ${set.players[g.b]} ${results[g.r]} ${g.t}`.toLowerCase();
      return words.every(w => all.includes(w));
    });
    turn(0);
  }

  const perPage = 8, lastPage = () => Math.max(0, Math.ceil(found.length / perPage) - 1);
  function turn(to) {
    page = Math.max(0, Math.min(lastPage(), to));
    $(".games").replaceChildren(...found.slice(page * perPage, (page + 1) * perPage).map(g => {
      const a = make("a", { href: address(g.n, -1), "data-n": g.n });
      a.append(make("span", { class: "n" }, g.n), make("bdi", {}, brief(set.players[g.w])), " – ", make("bdi", {}, brief(set.players[g.b])), make("strong", {}, ` ${results[g.r]} `), make("small", {}, `${g.t}, ${moveTexts(g).length} plies`));
      const li = document.createElement("li");
      li.append(a);
      return li;
    }));
    $(".range").textContent = found.length ? `${page * perPage + 1}–${Math.min(found.length, (page + 1) * perPage)} of ${found.length}` : "none";
    $('[data-page="-1"]').disabled = page === 0;
    $('[data-page="1"]').disabled = page === lastPage();
    markGame();
  }

  const address = (n, at) => `#game=${n}${at < 0 ? "" : `&ply=${at}`}${sets.length > 1 ? `&of=${encodeURIComponent(set.dir)}` : ""}`;
  const say = text => { $(".said").textContent = text; };
  function markGame() {
    for (const a of root.querySelectorAll(".games a")) Number(a.dataset.n) === game?.n ? a.setAttribute("aria-current", "true") : a.removeAttribute("aria-current");
  }

  // open shows a game by its number, and the position where the players began.
  function open(n, at) {
    const g = set.games.find(g => g.n === n);
    if (!g) return say(`Game ${n} is not on this page.`);
    load(g, set.players);
    show(at < 0 ? g.o : at);
    const i = found.indexOf(g);
    if (i >= 0 && Math.floor(i / perPage) !== page) turn(Math.floor(i / perPage)); else markGame();
  }

  function load(g, names) {
    stop();
    game = g;
    players = names;
    moves = words16(g.m, false);
    scores = words16(g.s, true);
    boards = [parseFEN(g.f)];
    for (const m of moves) boards.push(move(boards[boards.length - 1], m));
    $(".ended").textContent = `Game ${g.n}: ${results[g.r]}, ${g.t}`;
    slider.max = moves.length;
    const first = firstMove(g);
    // The buttons of the moves are for the mouse. On the keyboard they would be a hundred
    // stops: the slider and the arrow keys on the board do the same.
    list.replaceChildren(...moveTexts(g).map((text, i) => {
      const li = document.createElement("li"), n = i + first;
      const button = make("button", { type: "button", "data-ply": i + 1, tabindex: -1 }, (n % 2 === 0 || i === 0 ? `${1 + (n >> 1)}.${n % 2 ? ".." : ""} ` : "") + text);
      if (i < g.o) { button.classList.add("o"); button.title = "opening"; }
      li.append(button);
      return li;
    }));
    $(".pgn").download = `game-${g.n}.pgn`;
    $(".pgn").href = "data:application/x-chess-pgn;charset=utf-8," + encodeURIComponent(pgn(g, names, document.title));
    showPlayers();
    drawScores();
  }

  function showPlayers() {
    if (!game) return;
    const write = (e, side, name) => e.replaceChildren(make("span", { class: side }, side === "white" ? "○ " : "● "), make("bdi", {}, name));
    write($(flipped ? ".top" : ".bottom"), "white", players[game.w]);
    write($(flipped ? ".bottom" : ".top"), "black", players[game.b]);
  }

  // The graph of the scores over the plies, as wide as its column, so that letters keep
  // their size. The scale is linear near 0 and logarithmic beyond.
  const x = i => 34 + (width - 40) * i / Math.max(1, moves.length);
  let width = 400;
  function drawScores() {
    const svg = $(".scores svg"), ns = svg.namespaceURI;
    if (!game) return;
    width = Math.max(120, svg.clientWidth);
    svg.setAttribute("viewBox", `0 0 ${width} 144`);
    svg.replaceChildren();
    const add = (tag, attrs, text) => { const e = document.createElementNS(ns, tag); for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v); if (text) e.textContent = text; svg.append(e); return e; };
    const y = s => 72 - 62 * Math.asinh(s / 100) / Math.asinh(30);
    for (const p of [-1000, -300, -100, 0, 100, 300, 1000]) {
      add("line", { x1: 34, x2: width - 6, y1: y(p), y2: y(p) });
      add("text", { x: 29, y: y(p) + 4, "text-anchor": "end" }, String(p / 100));
    }
    let d = "", on = false;
    scores.forEach((s, i) => {
      if (s === -32768) { on = false; return; }
      d += `${on ? "L" : "M"}${x(i).toFixed(1)} ${y(Math.max(-3000, Math.min(3000, s))).toFixed(1)}`;
      on = true;
    });
    add("path", { d, class: "curve" });
    add("line", { class: "now", x1: x(ply), x2: x(ply), y1: 0, y2: 144 });
  }

  function show(to) {
    ply = Math.max(0, Math.min(moves.length, to));
    const now = boards[ply], last = ply ? moves[ply - 1] : -1;
    for (let s = 0; s < 64; s++) {
      const piece = now[s], e = cells[s];
      e.textContent = piece ? glyphs[piece.toUpperCase()] + "\uFE0E" : "";
      e.classList.toggle("W", piece !== "" && isWhite(piece));
      e.classList.toggle("B", piece !== "" && !isWhite(piece));
      e.classList.toggle("m", last >= 0 && (s === (last & 63) || s === (last >> 6 & 63)));
    }
    board.setAttribute("aria-label", "Board: " + now.map((piece, s) => piece ? `${isWhite(piece) ? "white" : "black"} ${pieceNames[piece.toUpperCase()]} ${square(s)}` : "").filter(Boolean).join(", "));
    slider.value = ply;
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = ply ? list.querySelector(`[data-ply="${ply}"]`) : null;
    if (current) { current.setAttribute("aria-current", "true"); const box = list.getBoundingClientRect(), at = current.getBoundingClientRect(); if (at.top < box.top || at.bottom > box.bottom) list.scrollTop += at.top - box.top - box.height / 2; }
    const line = root.querySelector("line.now");
    line.setAttribute("x1", x(ply)); line.setAttribute("x2", x(ply));
    $(".here").href = address(game.n, ply);
    const n = ply - 1 + firstMove(game);
    say(ply === 0 ? "Before the first move" : `After ${1 + (n >> 1)}${n % 2 ? "..." : "."} ${moveTexts(game)[ply - 1]}${ply <= game.o ? ", a move of the opening" : `: ${scoreText(scores[ply - 1])} before it`}`);
  }

  function stop() { clearInterval(timer); timer = 0; const b = $("[data-go=play] span"); if (b) b.textContent = "play"; }
  const go = { first: () => show(0), back: () => show(ply - 1), next: () => show(ply + 1), last: () => show(moves.length), flip: () => { flipped = !flipped; place(); },
    play: () => { if (timer) return stop(); $("[data-go=play] span").textContent = "stop"; timer = setInterval(() => { if (ply >= moves.length) stop(); else show(ply + 1); }, 600); } };
  const use = () => { root.dataset.used = "1"; };
  const act = what => { use(); if (game) go[what](); };
  root.addEventListener("click", e => {
    const b = e.target.closest("button");
    if (!b) return;
    use();
    if (b.dataset.go) act(b.dataset.go);
    if (b.dataset.ply) show(Number(b.dataset.ply));
    if (b.dataset.page) turn(page + Number(b.dataset.page));
  });
  $(".scores svg").addEventListener("click", e => {
    use();
    show(Math.round((e.clientX - e.currentTarget.getBoundingClientRect().left - 34) / (width - 40) * moves.length));
  });
  new ResizeObserver(() => { if ($(".scores svg").clientWidth !== width) drawScores(); }).observe($(".scores"));
  slider.addEventListener("input", () => { use(); show(Number(slider.value)); });
  // The keys work wherever no other control takes them.
  document.addEventListener("keydown", e => {
    const at = document.activeElement, here = at === board || at === document.body || root.contains(at) && !at.matches("input, select");
    if (!here || !root.isConnected || e.altKey || e.ctrlKey || e.metaKey) return;
    const keys = { ArrowLeft: "back", ArrowRight: "next" };
    if (at !== document.body) Object.assign(keys, { Home: "first", End: "last", f: "flip" });
    if (at === board) keys[" "] = "play";
    if (keys[e.key]) { e.preventDefault(); act(keys[e.key]); }
  });
  $(".set").addEventListener("change", e => { use(); $(".find").value = ""; pick(Number(e.target.value)); if (found.length) open(found[0].n, -1); });
  $(".find").addEventListener("input", find);
  $(".number").addEventListener("change", e => { use(); open(Number(e.target.value), -1); });

  // The address names a game, or else the first one is shown, and while a run goes on the newest.
  function follow() {
    const to = placeInAddress();
    if (!to) return;
    use();
    const i = Math.max(0, sets.findIndex(s => s.dir === to.dir));
    if (sets[i] !== set) pick(i);
    open(to.n, to.ply);
  }
  window.addEventListener("hashchange", follow);
  sets.forEach((s, i) => $(".set").append(make("option", { value: i }, s.label)));
  $(".set").parentElement.hidden = sets.length === 1;
  place();
  pick(0);
  if (placeInAddress()) { follow(); root.scrollIntoView({ block: "nearest" }); } else if (found.length) {
    if (again) turn(lastPage());
    open(found[again ? found.length - 1 : 0].n, -1);
  }
}

// A table that is wider than its place becomes a list: each row a card, each cell a line
// with the heading of its column.
const fitting = new ResizeObserver(entries => entries.forEach(e => fit(e.target)));
function fit(box) {
  const table = box.querySelector("table");
  if (!table || box.clientWidth === 0 || Number(box.dataset.width) === box.clientWidth) return;
  box.dataset.width = box.clientWidth;
  box.classList.remove("stack");
  if (table.scrollWidth <= box.clientWidth) return;
  box.classList.add("stack");
  const heads = [...table.tHead?.rows[0]?.cells ?? []].map(h => h.textContent.trim());
  for (const row of table.tBodies[0].rows) {
    let column = 0;
    for (const cell of row.cells) { if (!cell.dataset.th) cell.dataset.th = heads[column] ?? ""; column += cell.colSpan; }
  }
}

// After how many seconds the page of a run that goes on is loaded again.
const again = Number(document.querySelector("main").dataset.refresh || 0);
document.querySelectorAll(".wide").forEach(box => fitting.observe(box));
document.querySelectorAll("table.sortable, .sortable table").forEach(sortable);
document.querySelectorAll("input.filter").forEach(filter);
document.querySelectorAll("select.sorter").forEach(sorter);
document.querySelectorAll("input.flip").forEach(flip);
document.querySelectorAll("[data-replay]").forEach(replay);

// Not while someone replays a game, types, or reads what they opened.
if (again) setInterval(() => {
  const at = document.activeElement;
  if (!document.hidden && (!at || at === document.body || at.tagName === "MAIN") && !document.querySelector("details[open], [data-used]")) location.reload();
}, 1000 * again);
})();
