package newengine

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"
)

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

// readRust returns the type of the board, and the expression that reads it.
func (g *glue) readRust(f *function) (board, read string) {
	owner, in := f.owner(), module(f.file)
	result := regexp.MustCompile(`->\s*(Result|Option)?<?\s*&?(?:mut )?([\w:]+)`).FindStringSubmatch(f.returns)
	var args []string
	for _, p := range f.params {
		if isText(p) {
			args = append(args, "fen")
		} else {
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

var rustNumber = regexp.MustCompile(`^[iu]\d+$|^usize$|^f32$|^f64$`)

// callRust returns the call of the evaluation.
func (g *glue) callRust(f *function) string {
	owner, in := f.owner(), module(f.file)
	own := g.Board[strings.LastIndex(g.Board, ":")+1:]
	args := g.arguments(f, "todo!()", func(p string) string {
		_, t, _ := strings.Cut(p, ":")
		name := strings.TrimSpace(strings.NewReplacer("&", "", "mut ", "").Replace(t))
		switch {
		case strings.HasSuffix(name, own) && strings.Contains(t, "&mut"):
			return "&mut a.board"
		case strings.HasSuffix(name, own):
			return strings.Replace(strings.TrimSpace(t), name, "a.board", 1)
		case rustNumber.MatchString(name):
			return cmp.Or(window(p), "0") + " as " + name
		}
		return ""
	})
	name := in + f.name
	switch {
	case f.method && owner == own:
		name = "a.board." + f.name
	case f.method:
		name = in + owner + "::default()." + f.name
	case owner != "":
		name = in + owner + "::" + f.name
	}
	return name + args
}
