package newengine

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Names by which engines call what the author's file needs, the likeliest first.
var (
	evaluates = []string{"evaluate", "eval", "evaluate_?position", "eval_?position", "evaluate_?board", "evaluation",
		"get_?evaluation", "static_?eval(uation)?", "score_?position", "evaluator", "value_of(_position)?",
		"\\w*evaluat\\w*", "\\w*eval"}
	parses = []string{"(parse|load|read|set|from|init|setup)_?(from_?)?fen", "\\w*from_?fen",
		"fen_?to_?(board|position|pos)",
		"(load|set|parse|read)_?position", "set_?board", "\\w*fen(string)?", "(pos|position|board)_?set", "set"}
)

// glue is the author's file as far as it can be guessed, and what remains to do.
type glue struct {
	name, text string
	todo       []string
}

func (g *glue) left(format string, args ...any) {
	g.todo = append(g.todo, fmt.Sprintf(format, args...))
}

// guess finds the functions that evaluate and parse a position, and writes the file around them.
func (e *engine) guess(whiteView bool) *glue {
	evaluate := e.evaluation()
	parse := e.find(parses, func(f *function) bool {
		return slices.ContainsFunc(f.params, isText) && !strings.Contains(strings.ToLower(f.name), "tofen")
	}, `(?i)(board|pos|fen)`)
	if parse == nil {
		parse = e.find([]string{"\\w+"}, func(f *function) bool {
			return slices.ContainsFunc(f.params, func(p string) bool { return isText(p) && takesFEN.MatchString(p) })
		}, `(?i)(board|pos|fen)`)
	}
	switch e.lang.name {
	case "Go":
		return e.inGo(evaluate, parse, whiteView)
	case "Rust":
		return e.inRust(evaluate, parse, whiteView)
	}
	return e.inC(evaluate, parse, whiteView)
}

// evaluation finds the function that evaluates a position; nil: none.
func (e *engine) evaluation() *function {
	return e.find(evaluates, func(f *function) bool { return !strings.HasPrefix(f.lastType(), "void") }, `(?i)eval`)
}

var takesFEN = regexp.MustCompile(`(?i)\bs?fen(_?str(ing)?)?\b`)

// lastType is the type that a function returns.
func (f *function) lastType() string {
	if f.returns != "" && f.returns != "const" && f.returns != "noexcept" {
		return f.returns
	}
	t := strings.TrimSpace(f.before)
	for _, word := range []string{"static", "inline", "extern", "constexpr", "const"} {
		t = strings.TrimSpace(strings.TrimPrefix(t, word+" "))
	}
	return t
}

func isText(param string) bool {
	return regexp.MustCompile(`\bchar\b.*[*\[]|\bstring\b|string_view|&(?:'\w+ )?str\b|&\[&str\]`).MatchString(param)
}

// inC writes the file for C and C++, which is included at the end of the file that has main.
func (e *engine) inC(evaluate, parse *function, whiteView bool) *glue {
	g := &glue{name: "assay" + e.lang.ext[0]}
	var heads []string
	for _, f := range []*function{evaluate, parse} {
		if h := e.header(f); h != "" && !slices.Contains(heads, h) {
			heads = append(heads, h)
		}
	}
	var s strings.Builder
	s.WriteString("#include \"assay.h\"\n#include <string.h>\n")
	for _, h := range heads {
		fmt.Fprintf(&s, "#include \"%s\"\n", h)
	}
	starts := e.starts()
	board, call, value := "", "/* parse fen */", "0"
	if parse != nil {
		board, call = parse.boardC(e)
	} else {
		g.left("assay_position: no function was found that reads a FEN")
	}
	if evaluate == nil {
		g.left("assay_value: no function was found that evaluates a position")
	} else {
		value = evaluate.callC(e, board, g)
	}
	if board != "" {
		fmt.Fprintf(&s, "static %s assay_board;\n", board)
	}
	mover := ""
	if !whiteView {
		s.WriteString("static int assay_black;\n")
		mover = " assay_black = strstr(fen, \" b \") != 0;"
		value = "int v = " + value + "; return assay_black ? -v : v;"
	} else {
		value = "return " + value + ";"
	}
	fmt.Fprintf(&s, "void assay_start(void) { %s}\n", strings.Join(append(starts, ""), "; "))
	fmt.Fprintf(&s, "void assay_position(const char *fen) {%s %s; }\n", mover, call)
	fmt.Fprintf(&s, "int assay_value(void) { %s }\n", value)
	again := e.refresh()
	fmt.Fprintf(&s, "void assay_refresh(void) { %s}\n", strings.Join(append(again, ""), "; "))
	g.text = s.String()
	return g
}

// header returns the header that declares a function of another file than main's, or of a class.
func (e *engine) header(f *function) string {
	if f == nil || f.file == e.main {
		return ""
	}
	if slices.Contains(e.heads, f.file) {
		return f.file.path
	}
	names := strings.Split(f.name, "::")
	declared := regexp.MustCompile(`\b` + names[len(names)-1] + `\s*\(`)
	best := ""
	for _, h := range e.heads {
		if !declared.MatchString(h.text) || len(names) > 1 && !regexp.MustCompile(`\b`+names[0]+`\b`).MatchString(h.text) {
			continue
		}
		own := strings.TrimSuffix(h.path, path.Ext(h.path)) == strings.TrimSuffix(f.file.path, path.Ext(f.file.path))
		if best == "" || own {
			best = h.path
		}
	}
	return best
}

// typeC is the type of a parameter, without pointers, and how a variable of it is passed.
func typeC(param string) (name, pass string) {
	words := strings.FieldsFunc(strings.NewReplacer("*", " ", "&", " ", "[", " [", "const ", "").Replace(param),
		func(r rune) bool { return r == ' ' })
	if len(words) > 1 && words[0] == "struct" {
		words = []string{"struct " + words[1]}
	}
	if strings.Contains(param, "*") || strings.Contains(param, "[") {
		pass = "&"
	}
	return words[0], pass
}

var plainTypes = regexp.MustCompile(`^(unsigned|int|bool|long|short|double|float|size_t|u?int\d+_t|char|Color|Score|` +
	`Value|Depth)$`)

// boardC returns the type of the board that a function fills from a FEN, and the call.
func (f *function) boardC(e *engine) (board, call string) {
	var args []string
	for _, p := range f.params {
		name, pass := typeC(p)
		switch {
		case isText(p):
			if strings.Contains(p, "char") && !strings.Contains(p, "const") {
				args = append(args, "(char *)fen")
			} else {
				args = append(args, "fen")
			}
		case plainTypes.MatchString(name):
			args = append(args, "0")
		case board == "":
			board = name
			args = append(args, pass+"assay_board")
		default:
			args = append(args, "0 /* "+p+" */")
		}
	}
	name := f.name
	if class, method, ok := strings.Cut(f.name, "::"); ok && board == "" {
		board, name = class, "assay_board."+method
	}
	call = fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
	if t := f.lastType(); board == "" && !plainTypes.MatchString(t) && t != "void" {
		board, _ = typeC(t)
		call = "assay_board = " + call
	}
	return board, call
}

// callC is the call of the evaluation.
func (f *function) callC(e *engine, board string, g *glue) string {
	var args []string
	for _, p := range f.params {
		name, pass := typeC(p)
		switch {
		case name == board:
			args = append(args, pass+"assay_board")
		case name == "int" && regexp.MustCompile(`(?i)alpha`).MatchString(p):
			args = append(args, "-30000")
		case name == "int" && regexp.MustCompile(`(?i)beta`).MatchString(p):
			args = append(args, "30000")
		case plainTypes.MatchString(name):
			args = append(args, "0")
		default:
			args = append(args, "0 /* "+p+" */")
			g.left("assay_value: what stands for %q in the call of %s", p, f.name)
		}
	}
	name := f.name
	if class, method, ok := strings.Cut(f.name, "::"); ok {
		if class == board {
			name = "assay_board." + method
		} else if e.isClass(class) {
			name = class + "()." + method
		}
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
}

// isClass reports whether a name before :: is a class, and not a namespace.
func (e *engine) isClass(name string) bool {
	return slices.ContainsFunc(slices.Concat(e.heads, e.files), func(f *source) bool {
		return regexp.MustCompile(`(?m)^\s*(class|struct)\s+` + name + `\b[^;]*$`).MatchString(f.text)
	})
}

var (
	call     = regexp.MustCompile(`(?m)([A-Za-z_][\w:.]*)\s*\(([^;{}]*)\)\s*;`)
	starting = regexp.MustCompile(`(?i)init|set_?up|prepare|magic|zobrist|seed|set_?size|set_?default|fill|generate|build|` +
		`load|create|alloc`)
	noStart = regexp.MustCompile(`(?i)uci|loop|printf|print|cout|setbuf|bench|book|tablebase|syzygy|nnue|network|nn$|` +
		`thread|options?$`)
	loops       = regexp.MustCompile(`\b(while|for|do)\b|\bif\s*\(\s*argc`)
	constantArg = regexp.MustCompile(`^(|[-+]?[\d.xXa-fA-F]+[uUlLfF]*|&?[A-Z_][A-Z0-9_]*|true|false|NULL|nullptr)$`)
)

// starts are the calls in main before it reads commands that prepare tables, as statements.
func (e *engine) starts() (list []string) {
	at := e.lang.main.FindStringIndex(e.main.text)
	body := e.main.text[at[1]:]
	if end := loops.FindStringIndex(body); end != nil {
		body = body[:end[0]]
	}
	for _, m := range call.FindAllStringSubmatch(body, -1) {
		if starting.MatchString(m[1]) && !noStart.MatchString(m[1]) && constants(m[2]) {
			list = append(list, m[1]+"("+strings.TrimSpace(m[2])+")")
		}
	}
	return list
}

// constants reports whether arguments need nothing of main.
func constants(args string) bool {
	for a := range strings.SplitSeq(args, ",") {
		if !constantArg.MatchString(strings.TrimSpace(a)) {
			return false
		}
	}
	return true
}

var derives = regexp.MustCompile(`(?i)^(init|setup|fill|build|make|compute|set)\w*(ps?q?s?t|psq|eval|score|value|material|param)`)

// refresh are the calls that make tables of the evaluation again: those at the start, by their names.
func (e *engine) refresh() (list []string) {
	for _, s := range e.starts() {
		name, _, _ := strings.Cut(s, "(")
		if derives.MatchString(name) || regexp.MustCompile(`(?i)(ps?q?s?t|eval)\w*_?init$|setDefaultEval`).MatchString(name) {
			list = append(list, s)
		}
	}
	return list
}
