package newengine

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// inRust writes the file for Rust, which becomes a module of the program.
func (e *engine) inRust(evaluate, parse *function, whiteView bool) *glue {
	g := &glue{name: "assay.rs"}
	board, read := "()", "let _ = fen;"
	if parse == nil {
		g.left("assay_position: no function was found that reads a FEN")
	} else {
		board, read = parse.boardRust(e)
	}
	value := "0"
	if evaluate == nil {
		g.left("assay_value: no function was found that evaluates a position")
	} else {
		value = evaluate.callRust(e, board, g)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "pub struct AssayPosition { board: %s, black: bool }\n", board)
	s.WriteString("pub fn assay_start() {}\n")
	fmt.Fprintf(&s, "pub fn assay_position(fen: &str) -> AssayPosition {\n    AssayPosition { board: %s, black: "+
		"fen.contains(\" b \") }\n}\n", strings.TrimSuffix(read, ";"))
	fmt.Fprintf(&s, "pub fn assay_value(a: &mut AssayPosition) -> i32 {\n    let v = (%s) as i32;\n", value)
	if whiteView {
		s.WriteString("    v\n}\n")
	} else {
		s.WriteString("    if a.black { -v } else { v }\n}\n")
	}
	s.WriteString("pub fn assay_refresh() {}\n")
	g.text = s.String()
	return g
}

var impl = regexp.MustCompile(`(?m)^impl(?:<[^>]*>)?\s+(?:\w+\s+for\s+)?(\w+)`)

// owner returns the type whose impl a method of Rust stands in.
func (f *function) owner() string {
	at := strings.Index(f.file.text, "fn "+f.name)
	owner := ""
	for _, m := range impl.FindAllStringSubmatchIndex(f.file.text[:max(at, 0)], -1) {
		owner = f.file.text[m[2]:m[3]]
	}
	return owner
}

// module returns the path of what a file defines.
func module(f *source) string {
	p := strings.TrimSuffix(strings.TrimPrefix(f.path, "src/"), ".rs")
	if p = strings.TrimSuffix(p, "/mod"); path.Base(p) == "main" || path.Base(p) == "lib" {
		return "crate::"
	}
	return "crate::" + strings.ReplaceAll(p, "/", "::") + "::"
}

// boardRust returns the type of the board, and the expression that reads it.
func (f *function) boardRust(_ *engine) (board, read string) {
	owner, in := f.owner(), module(f.file)
	result := regexp.MustCompile(`->\s*(Result|Option)?<?\s*&?(?:mut )?([\w:]+)`).FindStringSubmatch(f.returns)
	var args []string
	for _, p := range f.params {
		switch {
		case strings.HasSuffix(p, "self"):
		case isText(p):
			args = append(args, "fen")
		default:
			args = append(args, "Default::default()")
		}
	}
	board = in + owner
	switch {
	case f.method: // it changes the board
		return board, fmt.Sprintf("{ let mut b = %s::default(); let _ = b.%s(%s); b }", board, f.name,
			strings.Join(args, ", "))
	case result != nil && result[2] != "Self" && result[2] != owner:
		board = in + result[2]
	}
	name := in + f.name
	if owner != "" {
		name = in + owner + "::" + f.name
	}
	read = fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
	if result != nil && result[1] != "" {
		read += ".ok().unwrap()"
		if result[1] == "Option" {
			read = strings.Replace(read, ".ok()", "", 1)
		}
	}
	return board, read
}

// callRust returns the call of the evaluation.
func (f *function) callRust(_ *engine, board string, g *glue) string {
	owner, in := f.owner(), module(f.file)
	own := board[strings.LastIndex(board, ":")+1:]
	var args []string
	for _, p := range f.params {
		_, t, _ := strings.Cut(p, ":")
		name := strings.TrimSpace(strings.NewReplacer("&", "", "mut ", "").Replace(t))
		switch {
		case strings.HasSuffix(p, "self"):
		case strings.HasSuffix(name, own) && strings.Contains(t, "&mut"):
			args = append(args, "&mut a.board")
		case strings.HasSuffix(name, own):
			args = append(args, strings.Replace(strings.TrimSpace(t), name, "a.board", 1))
		case regexp.MustCompile(`^[iu]\d+$|^usize$|^f32$|^f64$`).MatchString(name):
			args = append(args, "0 as "+name)
		default:
			args = append(args, "todo!() /* "+p+" */")
			g.left("assay_value: what stands for %q in the call of %s", p, f.name)
		}
	}
	name := in + f.name
	switch {
	case f.method && owner == own:
		name = "a.board." + f.name
	case f.method:
		name = in + owner + "::default()." + f.name
	case owner != "":
		name = in + owner + "::" + f.name
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}
