"use strict";
// The key is sent once. From then on the browser shows a cookie that no script can read.
const say = text => { document.querySelector("#said").textContent = text; };

async function request(method, path, body, headers = {}) {
  if (method !== "GET") headers["Assay-Nonce"] = Math.floor(Date.now() / 1000) + "-" + crypto.getRandomValues(new Uint32Array(4)).join("x");
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error || answer.statusText);
  return data;
}

// cell adds a cell; text may be broken into lines.
function cell(row, content, kind) {
  const td = row.insertCell();
  if (kind) td.className = kind === "text" ? "left text" : "left";
  td.append(content ?? "");
  return td;
}

// put replaces the rows of a table, unless someone is at one of its buttons. Each cell gets the heading of its
// column: on a narrow page a row is a card, and a cell a line of it.
function put(section, rows) {
  const table = document.querySelector(`#${section} table`), heads = [...table.tHead.rows[0].cells].map(h => h.textContent);
  for (const row of rows.rows) if (row.cells.length > 1) [...row.cells].forEach((c, i) => { c.dataset.th = heads[i]; });
  if (!table.tBodies[0].contains(document.activeElement)) table.tBodies[0].replaceWith(rows);
}

const narrow = matchMedia("(max-width: 64rem)");
const stack = () => document.querySelectorAll(".wide").forEach(box => box.classList.toggle("stack", narrow.matches));
narrow.addEventListener("change", stack);
stack();

function bar([llr, lower, upper]) {
  const span = document.createElement("span"), fill = document.createElement("i"), zero = -lower / (upper - lower) * 100;
  const at = Math.max(0, Math.min(100, (llr - lower) / (upper - lower) * 100));
  span.className = "bar";
  span.title = `${llr.toFixed(2)} (${lower.toFixed(2)}, ${upper.toFixed(2)})`;
  fill.style.left = Math.min(zero, at) + "%";
  fill.style.width = Math.abs(at - zero) + "%";
  span.append(fill);
  const both = document.createElement("span");
  both.append(span, " " + llr.toFixed(2));
  return both;
}

function duration(seconds) {
  if (!seconds) return "";
  if (seconds < 120) return Math.round(seconds) + " s";
  if (seconds < 7200) return Math.round(seconds / 60) + " min";
  return Math.round(seconds / 3600) + " h";
}

function button(text, label, act) {
  const b = document.createElement("button");
  b.type = "button";
  b.textContent = text;
  b.setAttribute("aria-label", text + " " + label);
  b.addEventListener("click", async () => {
    try { say(await act() || ""); } catch (e) { say(e.message); }
    refresh();
  });
  return b;
}

const actions = { unapproved: ["approve", "stop", "remove"], queued: ["stop", "remove"], active: ["stop"], stopped: ["resume", "remove"], failed: ["resume", "remove"], complete: ["remove"] };

// result is the text for a commit message.
function result(t) {
  const r = t.result, lines = [`${t.name}: ${r.verdict ? r.verdict + ": " : ""}${r.text || t.reason || t.state}`];
  if (r.llr) lines.push(`LLR ${r.llr[0].toFixed(2)} (${r.llr[1].toFixed(2)}, ${r.llr[2].toFixed(2)})`);
  if (r.pentanomial) lines.push(`Games ${r.done}, won-drawn-lost ${r.wdl}, pairs ${r.pentanomial.join(" ")}`);
  lines.push("assay " + t.args.join(" "));
  return lines.join("\n");
}

function showTests(tests) {
  const rows = document.createElement("tbody");
  for (const t of tests.reverse()) {
    const row = rows.insertRow(), link = document.createElement("a"), badge = document.createElement("strong");
    row.dataset.test = t.name;
    link.textContent = t.name;
    link.href = "runs/run/" + encodeURIComponent(t.name);
    cell(row, t.state === "queued" || t.state === "unapproved" ? t.name : link, "text").title = t.args.join(" ");
    cell(row, t.state, "left");
    const text = cell(row, "", "text");
    if (t.result.verdict) { badge.textContent = t.result.verdict; badge.className = "badge " + t.result.class; text.append(badge, " "); }
    text.append(t.result.text || t.reason || t.note || "");
    cell(row, t.result.llr ? bar(t.result.llr) : "");
    cell(row, (t.result.pentanomial || []).join(" "));
    cell(row, t.result.unit ? `${t.result.done}${t.result.total ? " of " + t.result.total : ""} ${t.result.unit}` : "");
    cell(row, t.games_per_second ? t.games_per_second.toFixed(2) : "");
    cell(row, duration(t.seconds_left));
    cell(row, t.share ? Math.round(100 * t.share) + " %" : "");
    const priority = cell(row, String(t.priority) + " ");
    for (const step of [1, -1]) priority.append(button(step > 0 ? "+" : "−", `priority of ${t.name}`, () => request("POST", `api/tests/${encodeURIComponent(t.name)}/priority`, { priority: t.priority + step })));
    cell(row, t.who, "left");
    const change = cell(row, "", "text");
    for (const what of actions[t.state]) change.append(button(what, t.name, async () => { await request("POST", `api/tests/${encodeURIComponent(t.name)}/${what}`, {}); return `${t.name}: ${what} is done`; }));
    change.append(button("copy result", t.name, async () => { await navigator.clipboard.writeText(result(t)); return `the result of ${t.name} is copied`; }));
  }
  if (!tests.length) cell(rows.insertRow(), "no tests").colSpan = 12;
  put("tests", rows);
}

function showWorkers(workers) {
  const rows = document.createElement("tbody");
  for (const w of workers || []) {
    const row = rows.insertRow();
    cell(row, w.name, "left");
    cell(row, w.state + (w.why ? ": " + w.why : ""), "text");
    for (const v of [w.cores, w.games_per_second.toFixed(2), Math.round(100 * w.share) + " %", w.nodes_per_second ? Math.round(w.nodes_per_second) : "", w.games, w.failures]) cell(row, String(v));
    cell(row, w.program, "text");
  }
  put("workers", rows);
}

function showLog(events) {
  const rows = document.createElement("tbody");
  for (const e of events.slice(-200).reverse()) {
    const row = rows.insertRow();
    for (const text of [e.time.slice(0, 19).replace("T", " "), e.who, e.what, e.test, e.text]) cell(row, text, "text");
  }
  put("log", rows);
}

// access is what the server allows without the key: everything (open), reading, or nothing.
let access = document.body.dataset.access;

// before is where the page of tests that is shown ends; 0: it has the last tests.
let before = 0;

function showPages(older) {
  const nav = document.querySelector("#pages");
  nav.replaceChildren();
  if (before) nav.append(button("newest", "tests", async () => { before = 0; }));
  if (older) nav.append(button("older", "tests", async () => { before = older; }));
}

async function refresh() {
  if (access === "none") return say("Type your key to see the tests.");
  try {
    const page = await request("GET", "api/tests" + (before ? "?before=" + before : ""));
    showTests(page.tests);
    showPages(page.older);
    showWorkers((await request("GET", "api/workers")).workers);
    showLog((await request("GET", "api/audit")).events);
  } catch (e) { say(e.message); }
}

async function login(key) {
  if (!key && access === "none") return refresh();
  try {
    const me = await request("POST", "api/session", {}, key ? { Authorization: "Bearer " + key } : {});
    if (access === "none") access = "reading";
    document.querySelector("#who").textContent = `${me.name} ${me.roles.join(", ")}`;
    say("");
  } catch (e) { say(e.message); }
  refresh();
}

document.querySelector("#login").addEventListener("submit", e => {
  e.preventDefault();
  const key = new FormData(e.target).get("key").trim();
  e.target.reset();
  login(key);
});

// words splits a command line as a shell does, without expansion.
function words(text) {
  return [...text.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(m => m[0].replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

document.querySelector("#add form").addEventListener("submit", async e => {
  e.preventDefault();
  const f = new FormData(e.target);
  try {
    const t = await request("POST", "api/tests", { args: words(f.get("args")), name: f.get("name"), priority: Number(f.get("priority")), then: f.get("then") });
    say(`${t.name} is ${t.state}`);
    e.target.reset();
  } catch (err) { say(err.message); }
  refresh();
});

login();
setInterval(refresh, 3000);
