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
  if (table.dataset.ready) return;
  table.dataset.ready = "1";
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((th, column) => {
    if (th.hasAttribute("data-nosort")) return;
    const button = make("button", { type: "button" }, th.textContent);
    th.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = th.getAttribute("aria-sort") === "descending" ? false : th.getAttribute("aria-sort") === "ascending";
      heads.forEach(h => h.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const rows = [...body.rows].map(row => {
        const text = row.cells[column]?.textContent.trim() ?? "";
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

// A search field hides the rows that lack one of its words.
function filter(input) {
  if (input.dataset.ready) return;
  input.dataset.ready = "1";
  const table = document.getElementById(input.dataset.table);
  const count = input.closest(".controls").querySelector(".count");
  const rows = [...table.tBodies[0].rows].map(row => [row, (row.cells[0].textContent + " " + row.cells[1].textContent).toLowerCase()]);
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

function replay(root) {
  if (root.dataset.ready) return;
  root.dataset.ready = "1";
  const $ = s => root.querySelector(s);
  const sets = JSON.parse($("script.games").textContent);
  const board = $(".chessboard"), slider = $(".ply"), list = $(".moves");
  let set = sets[0], game, boards, moves, scores, san, ply = 0, timer = 0;
  const results = { "1": "1-0", "0": "½-½", "-1": "0-1" };

  sets.forEach((s, i) => $(".set").append(make("option", { value: i }, `${s.label} (${s.total})`)));
  const cells = [];
  for (let i = 0; i < 64; i++) {
    const s = 8 * (7 - (i >> 3)) + (i & 7), e = make("span", { "data-square": square(s) });
    if (((s >> 3) + s) % 2 === 0) e.classList.add("d");
    cells[s] = e;
    board.append(e);
  }

  function fillGames() {
    const words = $(".find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const options = [];
    for (const [i, g] of set.games.entries()) {
      const who = `${set.players[g.w]} – ${set.players[g.b]}`;
      const text = `${g.n}: ${who.slice(0, 60)} ${results[g.r]}, ${g.t}`;
      const all = `${g.n} ${who} ${results[g.r]} ${g.t}`.toLowerCase();
      if (words.every(w => all.includes(w))) options.push(make("option", { value: i }, text));
      if (options.length === 3000) break;
    }
    $(".game").replaceChildren(...options);
    if (options.length) load(set.games[options[0].value], set);
  }

  function load(g, from) {
    stop();
    game = g;
    moves = words16(g.m, false);
    scores = words16(g.s, true);
    san = g.a.split(" ").filter(Boolean);
    boards = [parseFEN(g.f)];
    for (const m of moves) boards.push(move(boards[boards.length - 1], m));
    $(".players").replaceChildren(make("bdi", {}, from.players[g.w]), " – ", make("bdi", {}, from.players[g.b]), `: ${results[g.r]}, ${g.t}, game ${g.n}`);
    slider.max = moves.length;
    const black = (g.f || "").split(" ")[1] === "b" ? 1 : 0;
    // The buttons of the moves are for the mouse. On the keyboard they would be a hundred
    // stops: the slider and the arrow keys on the board do the same.
    list.replaceChildren(...san.map((text, i) => {
      const li = document.createElement("li"), n = i + black;
      const button = make("button", { type: "button", "data-ply": i + 1, tabindex: -1 }, (n % 2 === 0 || i === 0 ? `${1 + (n >> 1)}.${n % 2 ? ".." : ""} ` : "") + text);
      if (i < g.o) { button.classList.add("o"); button.title = "opening"; }
      li.append(button);
      return li;
    }));
    drawScores();
    show(0);
  }

  const scoreText = s => s === -32768 ? "no score" : Math.abs(s) > 30000 ? `${s < 0 ? "−" : "+"}mate in ${Math.ceil((32000 - Math.abs(s)) / 2)}` : `${s < 0 ? "−" : "+"}${(Math.abs(s) / 100).toFixed(2)}`;

  // The graph of the scores over the plies. The scale is linear near 0 and logarithmic beyond.
  function drawScores() {
    const svg = $(".scores svg"), ns = svg.namespaceURI;
    svg.replaceChildren();
    const add = (tag, attrs, text) => { const e = document.createElementNS(ns, tag); for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v); if (text) e.textContent = text; svg.append(e); return e; };
    const x = i => 30 + 365 * i / Math.max(1, moves.length), y = s => 60 - 52 * Math.asinh(s / 100) / Math.asinh(30);
    for (const p of [-1000, -300, -100, 0, 100, 300, 1000]) {
      add("line", { x1: 30, x2: 395, y1: y(p), y2: y(p) });
      add("text", { x: 26, y: y(p) + 3, "text-anchor": "end" }, String(p / 100));
    }
    let d = "", on = false;
    scores.forEach((s, i) => {
      if (s === -32768) { on = false; return; }
      d += `${on ? "L" : "M"}${x(i).toFixed(1)} ${y(Math.max(-3000, Math.min(3000, s))).toFixed(1)}`;
      on = true;
    });
    add("path", { d, class: "curve" });
    add("line", { class: "now", y1: 0, y2: 120 });
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
    const x = 30 + 365 * ply / Math.max(1, moves.length), line = root.querySelector("line.now");
    line.setAttribute("x1", x); line.setAttribute("x2", x);
    $(".said").textContent = ply === 0 ? "Before the first move" : `After ${Math.ceil(ply / 2)}${ply % 2 ? "." : "..."} ${san[ply - 1]}: ${scoreText(scores[ply - 1])} before it`;
  }

  function stop() { clearInterval(timer); timer = 0; const b = $("[data-go=play] span"); if (b) b.textContent = "play"; }
  const go = { first: () => show(0), back: () => show(ply - 1), next: () => show(ply + 1), last: () => show(moves.length),
    play: () => { if (timer) return stop(); $("[data-go=play] span").textContent = "stop"; timer = setInterval(() => { if (ply >= moves.length) stop(); else show(ply + 1); }, 600); } };
  root.addEventListener("click", e => {
    const b = e.target.closest("button");
    if (!b) return;
    if (b.dataset.go) go[b.dataset.go]();
    if (b.dataset.ply) show(Number(b.dataset.ply));
  });
  $(".scores svg").addEventListener("click", e => {
    const box = e.currentTarget.getBoundingClientRect();
    show(Math.round(((e.clientX - box.left) / box.width * 400 - 30) / 365 * moves.length));
  });
  slider.addEventListener("input", () => show(Number(slider.value)));
  board.addEventListener("keydown", e => {
    const key = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" }[e.key];
    if (key) { e.preventDefault(); go[key](); }
  });
  $(".set").addEventListener("change", e => { set = sets[e.target.value]; $(".find").value = ""; fillGames(); });
  $(".find").addEventListener("input", fillGames);
  $(".game").addEventListener("change", e => load(set.games[e.target.value], set));
  if (live) {
    $(".any").hidden = false;
    $(".number").addEventListener("change", async e => {
      const answer = await fetch(`${location.pathname.replace(/\/$/, "")}/game?dir=${encodeURIComponent(set.dir)}&n=${encodeURIComponent(e.target.value)}`);
      if (!answer.ok) { $(".said").textContent = await answer.text(); return; }
      const one = await answer.json();
      load(one.games[0], one);
    });
  }
  fillGames();
}

const live = document.querySelector("main").hasAttribute("data-live");
function enliven(root) {
  root.querySelectorAll("table.sortable").forEach(sortable);
  root.querySelectorAll("input.filter").forEach(filter);
  root.querySelectorAll("[data-replay]").forEach(replay);
}
enliven(document);

// The server sends the parts that changed. Each replaces the old one.
// A part in which someone replays a game or types is replaced later.
if (live) {
  const source = new EventSource(location.pathname.replace(/\/$/, "") + "/events" + location.search);
  const waiting = new Map();
  const put = (id, html) => {
    const target = id === "headline" || id === "status" ? document.getElementById(id) : document.querySelector(`#${CSS.escape(id)} > .body`);
    if (!target) { location.reload(); return; }
    if (target.contains(document.activeElement)) { waiting.set(id, html); return; }
    waiting.delete(id);
    const open = [...target.querySelectorAll("details")].map(d => d.open);
    target.innerHTML = html;
    target.querySelectorAll("details").forEach((d, i) => { d.open = open[i] ?? false; });
    enliven(target);
  };
  source.addEventListener("part", e => { const part = JSON.parse(e.data); put(part.id, part.html); });
  source.addEventListener("sections", e => {
    const have = [...document.querySelectorAll("main > section")].map(s => s.id).join(" ");
    if (JSON.parse(e.data).join(" ") !== have) location.reload();
  });
  document.addEventListener("focusout", () => setTimeout(() => { for (const [id, html] of [...waiting]) put(id, html); }, 0));
}
})();
