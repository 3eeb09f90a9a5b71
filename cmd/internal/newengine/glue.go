package newengine

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"
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

// glue is the author's file as far as it can be guessed, and what remains to do. The templates show it.
type glue struct {
	*engine
	name, text string
	todo       []string

	WhiteView     bool
	Board, Read   string   // the type of the board, and what makes one of fen
	Value         string   // the call of the evaluation
	Evaluator     string   // what makes the object that evaluates, in Go
	Includes      []string // headers, or packages
	Starts, Again []string // calls
}

//go:embed glue.*.txt
var glueFiles embed.FS

var glues = template.Must(template.ParseFS(glueFiles, "*"))

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
	g := &glue{engine: e, name: "assay" + e.lang.ext[0], WhiteView: whiteView, Value: "0"}
	text, read, call := "glue.c.txt", g.readC, g.callC
	switch e.lang.name {
	case "Go":
		g.name, g.Board, g.Read = path.Join(path.Dir(e.main.path), g.name), "struct{}", "_ = fen"
		text, read, call = "glue.go.txt", g.readGo, g.callGo
	case "Rust":
		g.Board, g.Read = "()", "()"
		text, read, call = "glue.rs.txt", g.readRust, g.callRust
	default:
		g.Read, g.Starts = "/* parse fen */", e.starts()
		g.Again = slices.DeleteFunc(e.starts(), func(call string) bool {
			name, _, _ := strings.Cut(call, "(")
			return !derives.MatchString(name)
		})
		g.Includes = e.headers(evaluate, parse)
	}
	if parse == nil {
		g.left("assay_position: no function was found that reads a FEN")
	} else {
		g.Board, g.Read = read(parse)
	}
	if evaluate == nil {
		g.left("assay_value: no function was found that evaluates a position")
	} else {
		g.Value = call(evaluate)
	}
	var s strings.Builder
	if err := glues.ExecuteTemplate(&s, text, g); err != nil {
		panic(err)
	}
	g.text = s.String()
	return g
}

// arguments are what a call of the evaluation passes: what pass says of each parameter. Where it says nothing, unknown
// stands, and remains to do.
func (g *glue) arguments(f *function, unknown string, pass func(param string) string) string {
	var args []string
	for _, p := range f.params {
		arg := pass(p)
		if arg == "" {
			arg = unknown + " /* " + p + " */"
			g.left("assay_value: what stands for %q in the call of %s", p, f.name)
		}
		args = append(args, arg)
	}
	return "(" + strings.Join(args, ", ") + ")"
}

var windows = regexp.MustCompile(`(?i)\b(?:(alpha)|beta)`)

// window is the widest bound, for a parameter that is called alpha or beta; "" for others.
func window(param string) string {
	switch m := windows.FindStringSubmatch(param); {
	case m == nil:
		return ""
	case m[1] == "":
		return "30000"
	}
	return "-30000"
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
	return strings.TrimSpace(specifiers.ReplaceAllString(f.before, ""))
}

var specifiers = regexp.MustCompile(`^(?:(?:static|inline|extern|constexpr|const)\s+)*`)

var textual = regexp.MustCompile(`\bchar\b.*[*\[]|\bstring\b|string_view|&(?:'\w+ )?str\b|&\[&str\]`)

func isText(param string) bool { return textual.MatchString(param) }

// headers are those that declare the functions.
func (e *engine) headers(functions ...*function) (all []string) {
	for _, f := range functions {
		if h := e.header(f); h != "" && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return all
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
	words := strings.Fields(strings.NewReplacer("*", " ", "&", " ", "[", " [", "const ", "").Replace(param))
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

// readC returns the type of the board that a function fills from a FEN, and the call.
func (g *glue) readC(f *function) (board, call string) {
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
func (g *glue) callC(f *function) string {
	args := g.arguments(f, "0", func(p string) string {
		name, pass := typeC(p)
		switch {
		case name == g.Board:
			return pass + "assay_board"
		case plainTypes.MatchString(name):
			return cmp.Or(window(p), "0")
		}
		return ""
	})
	name := f.name
	if class, method, ok := strings.Cut(f.name, "::"); ok {
		if class == g.Board {
			name = "assay_board." + method
		} else if g.isClass(class) {
			name = class + "()." + method
		}
	}
	return name + args
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
	loops     = regexp.MustCompile(`\b(while|for|do)\b|\bif\s*\(\s*argc`)
	constants = regexp.MustCompile( // arguments that need nothing of main
		`^(?:\s*(?:[-+]?[\d.xXa-fA-F]+[uUlLfF]*|&?[A-Z_][A-Z0-9_]*|true|false|NULL|nullptr)?\s*(?:,|$))*$`)
	// A table of the evaluation is made by what is called so.
	derives = regexp.MustCompile(`(?i)^(init|setup|fill|build|make|compute|set)\w*` +
		`(ps?q?s?t|psq|eval|score|value|material|param)|(ps?q?s?t|eval)\w*_?init$|setDefaultEval`)
)

// starts are the calls in main before it reads commands that prepare tables, as statements.
func (e *engine) starts() (list []string) {
	at := e.lang.main.FindStringIndex(e.main.text)
	body := e.main.text[at[1]:]
	if end := loops.FindStringIndex(body); end != nil {
		body = body[:end[0]]
	}
	for _, m := range call.FindAllStringSubmatch(body, -1) {
		if starting.MatchString(m[1]) && !noStart.MatchString(m[1]) && constants.MatchString(m[2]) {
			list = append(list, m[1]+"("+strings.TrimSpace(m[2])+")")
		}
	}
	return list
}
