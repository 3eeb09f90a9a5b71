package newengine

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/engine/quote"
)

// build guesses the command that builds the engine. How says what it is taken from.
func (e *engine) build() (command, how string) {
	switch e.lang.name {
	case "Rust":
		return e.cargo()
	case "Go":
		return "go build -o {out} " + folder(path.Dir(e.main.path)), "package main is there"
	}
	for dir := path.Dir(e.main.path); ; dir = path.Dir(dir) {
		for _, name := range []string{"Makefile", "makefile", "GNUmakefile"} {
			if text, err := os.ReadFile(filepath.Join(e.top, dir, name)); err == nil {
				if command := byMake(dir, string(text)); command != "" {
					return command, path.Join(dir, name)
				}
			}
		}
		if dir == "." {
			break
		}
	}
	return e.compile(), "no Makefile says how"
}

// folder returns a folder as a word of a command.
func folder(dir string) string {
	if dir == "." {
		return "."
	}
	return quote.Word("./" + dir)
}

var (
	makeName = regexp.MustCompile(`(?m)^(EXE|TARGET|EXECUTABLE|PROGRAM|PROG|OUTPUT|OUT|BIN|BINARY|ENGINE|NAME)` +
		`\s*[:?]?=\s*(\S*)`)
	makeTarget = regexp.MustCompile(`(?m)^(?:basic|build|release|all|default)\s*:`)
	makeOut    = regexp.MustCompile(`-o\s+(\w[\w./-]*)\s`)
)

// byMake is the command for a Makefile that has the program's name in a variable, or in its -o.
func byMake(dir, text string) string {
	plain := strings.HasPrefix(makeTarget.FindString(text), "basic") // without profiles, as many engines call it
	command := "make" + ui.If(dir != ".", " -C %s", quote.Word(dir)) + ui.If(plain, " basic")
	if m := makeName.FindStringSubmatch(text); m != nil && strings.Contains(text, "-o $("+m[1]+")") {
		return command + " " + m[1] + "={out}"
	}
	if m := makeOut.FindStringSubmatch(text); m != nil {
		return command + " && cp " + quote.Word(path.Join(dir, m[1])) + " {out}"
	}
	return ""
}

// compile is the compiler's command for all files in the folder of main.
func (e *engine) compile() string {
	compiler, dir := "cc -O2 -o {out}", path.Dir(e.main.path)
	if e.lang.name == "C++" {
		compiler = "c++ -O2 -std=c++20 -o {out}"
	}
	var files []string
	for _, f := range e.files {
		if path.Dir(f.path) == dir {
			files = append(files, quote.Word(f.path))
		}
	}
	if len(files) > 8 {
		files = []string{path.Join(dir, "*"+path.Ext(e.main.path))}
	}
	return compiler + " " + strings.Join(files, " ") + " -lm -lpthread"
}

var (
	cargoName = regexp.MustCompile(`(?s)\[package\].*?\nname\s*=\s*"([^"]+)"`)
	cargoBin  = regexp.MustCompile(`(?s)\[\[bin\]\].*?\nname\s*=\s*"([^"]+)"`)
)

// cargo is the command for a Cargo.toml.
func (e *engine) cargo() (command, how string) {
	text, err := os.ReadFile(filepath.Join(e.top, "Cargo.toml"))
	name := cargoName.FindStringSubmatch(string(text))
	if bin := cargoBin.FindStringSubmatch(string(text)); bin != nil {
		name = bin
	}
	if err != nil || name == nil {
		return "cargo build --release && cp target/release/ENGINE {out}", "there is no Cargo.toml at the top: replace ENGINE"
	}
	return "cargo build --release && cp target/release/" + name[1] + " {out}", "Cargo.toml"
}
