package newengine

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// language is what a guess needs to know of one.
type language struct {
	name    string
	ext     []string // of its files, headers last
	headers []string
	main    *regexp.Regexp
	define  *regexp.Regexp // a function: what stands before its name, the name, its parameters, what follows
}

var languages = []*language{
	{"C", []string{".c"}, []string{".h"}, cMain, cFunction},
	{"C++", []string{".cpp", ".cc", ".cxx"}, []string{".h", ".hpp", ".hh"}, cMain, cFunction},
	{"Rust", []string{".rs"}, nil, regexp.MustCompile(`(?m)^\s*(?:pub )?fn main\(`),
		regexp.MustCompile(`(?m)^([ \t]*(?:pub(?:\([a-z]+\))? )?(?:const )?fn )(\w+)(?:<[^>(]*>)?\(([^)]*)\)\s*([^{;]*)\{`)},
	{"Go", []string{".go"}, nil, regexp.MustCompile(`(?m)^func main\(\)`),
		regexp.MustCompile(`(?m)^(func (?:\([^)]*\) )?)(\w+)\(([^)]*)\)([^\n{]*)\{`)},
}

var (
	cMain     = regexp.MustCompile(`\bmain\s*\([^)]*\)\s*\{`)
	cFunction = regexp.MustCompile(`(?m)^([A-Za-z_][\w \t:*&<>,]*?[\s*&])((?:\w+::)*\w+)[ \t]*\(([^;{}()]*)\)\s*((?:const|noexcept)?)\s*\{`)
)

// source is a file of the engine, without comments.
type source struct {
	path string // from the top, with slashes
	text string
}

// function is one that the sources define.
type function struct {
	file    *source
	before  string // modifiers and type, or a receiver
	name    string // with the class
	params  []string
	returns string
	method  bool // of Rust; self is none of its parameters
}

type engine struct {
	top   string
	lang  *language
	files []*source
	heads []*source
	main  *source
	funcs []*function
}

// others are folders that are no part of an engine's evaluation.
var others = regexp.MustCompile(`(?i)^(\..*|tests?|testing|tuner|tuning|texel|fathom|syzygy|pyrrhic|nnue|incbin|zlib|vendor|` +
	`target|build|bench(es|marks)?|node_modules|tools|deps|noobprobe|onlinesyzygy|testdata|external|third_?party)$`)

// otherFile are files that are none either.
var otherFile = regexp.MustCompile(`(?i)(^tb(probe|core)|_test\.|^tests?\.|tune|texel|nnue|^assay\.)`)

// read reads the sources of the language that has a main.
func read(top string) (*engine, error) {
	all := map[string][]*source{}
	root, err := filepath.EvalSymlinks(top)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root {
			if _, err := os.Stat(filepath.Join(p, ".git")); err == nil || others.MatchString(d.Name()) {
				return filepath.SkipDir
			}
		}
		if !d.Type().IsRegular() || otherFile.MatchString(d.Name()) {
			return nil
		}
		ext := filepath.Ext(p)
		if !slices.ContainsFunc(languages, func(l *language) bool {
			return slices.Contains(l.ext, ext) || slices.Contains(l.headers, ext)
		}) {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		all[ext] = append(all[ext], &source{path: filepath.ToSlash(rel), text: bare(string(text))})
		return err
	})
	if err != nil {
		return nil, err
	}
	var best *engine
	for _, l := range languages {
		abs, err := filepath.Abs(top)
		if err != nil {
			return nil, err
		}
		e := &engine{top: abs, lang: l}
		for _, ext := range l.ext {
			e.files = append(e.files, all[ext]...)
		}
		for _, ext := range l.headers {
			e.heads = append(e.heads, all[ext]...)
		}
		for _, f := range e.files {
			if l.main.MatchString(f.text) && (e.main == nil || e.likelier(f, e.main)) {
				e.main = f
			}
		}
		if e.main != nil && (best == nil || len(e.files) > len(best.files)) {
			best = e
		}
	}
	if best != nil {
		best.functions()
	}
	return best, nil
}

// likelier reports whether a file with a main is likelier the engine's than another: it speaks of UCI, it is called
// like the folder, or it is higher up.
func (e *engine) likelier(a, b *source) bool {
	points := func(f *source) (n int) {
		for _, sign := range []bool{strings.Contains(strings.ToLower(f.text), "uci"), path.Base(f.path) != "build.rs",
			strings.Contains(strings.ToLower(f.path), strings.ToLower(filepath.Base(e.top)))} {
			if sign {
				n++
			}
		}
		return n
	}
	return cmp.Or(cmp.Compare(points(a), points(b)), cmp.Compare(depth(b.path), depth(a.path))) > 0
}

func depth(p string) int { return strings.Count(p, "/") }

var comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"`)

// bare removes comments, and keeps lines and texts.
func bare(text string) string {
	return comments.ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == '"' {
			return s
		}
		return strings.Repeat("\n", strings.Count(s, "\n"))
	})
}

// functions finds the functions of the files and the headers.
func (e *engine) functions() {
	for _, f := range slices.Concat(e.files, e.heads) {
		for _, m := range e.lang.define.FindAllStringSubmatch(f.text, -1) {
			fn := &function{file: f, before: strings.TrimSpace(m[1]), name: m[2], returns: strings.TrimSpace(m[4])}
			for p := range strings.SplitSeq(m[3], ",") {
				if p = strings.Join(strings.Fields(p), " "); p != "" && p != "void" {
					fn.params = append(fn.params, p)
				}
			}
			fn.method = e.lang.name == "Rust" && len(fn.params) > 0 && strings.HasSuffix(fn.params[0], "self")
			if fn.method {
				fn.params = fn.params[1:]
			}
			if !slices.Contains(statements, fn.name) {
				e.funcs = append(e.funcs, fn)
			}
		}
	}
}

var statements = []string{"if", "for", "while", "switch", "return", "sizeof", "else"}

// visible reports whether the author's file may call a function: in Go, from the package of main.
func (e *engine) visible(f *function) bool {
	return e.lang.name != "Go" || path.Dir(f.file.path) == path.Dir(e.main.path) || f.name[0] <= 'Z'
}

// find returns the function that best fits: the first pattern that names one, in a file of the names if there is a
// choice.
func (e *engine) find(patterns []string, fits func(*function) bool, files string) (best *function) {
	inFile := regexp.MustCompile(files)
	for _, p := range patterns {
		named := regexp.MustCompile(`(?i)^(?:\w+::)*` + p + `$`)
		for _, f := range e.funcs {
			if !named.MatchString(f.name) || !e.visible(f) || !fits(f) {
				continue
			}
			if best == nil || !inFile.MatchString(path.Base(best.file.path)) && inFile.MatchString(path.Base(f.file.path)) {
				best = f
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}
