package numbers

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

//go:embed rust.rs.txt
var rustLibrary string

// instrument turns each listed constant and static, and all made from them, into an extern static, which the
// compiler cannot fold, beside the memory that it names. .init_array makes them before main, by their initializers with
// other literals. The library is a module of the crate that has them, and the glue file one of the crate that has main.
func (r *rust) instrument(s *Set, dir, value string) error {
	if runtime.GOOS == "darwin" { // its object files have no .init_array
		return errors.New("the numbers of a Rust engine can be set on Linux alone, as in a container")
	}
	if err := r.read(dir); err != nil {
		return err
	}
	glue, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(value)))
	if err != nil {
		return err
	}
	main, err := r.mainFile(value)
	if err != nil {
		return err
	}
	root, library, err := r.tableCrate(dir, s.Files, main)
	if err != nil {
		return err
	}
	serve, err := rustServe(string(glue), value, library)
	if err != nil {
		return err
	}
	r.literals(s)
	for order, d := range r.touched() {
		d.rewrite(order)
	}
	m := r.file(main) // it answers instead of what main does
	at := m.tokens[m.until(m.mainFunction(), len(m.tokens), "{")].to
	m.insert(at, " if "+library+"::measuring() { assay_value::assay_serve(); ::std::process::exit(0); }")
	r.file(root).insert(len(r.file(root).text), "\npub mod assay_numbers;\n")
	m.insert(len(m.text), "\nmod assay_value;\n")
	return errors.Join(
		r.write(dir),
		writeNew(dir, path.Join(path.Dir(root), "assay_numbers/mod.rs"), rustLibrary),
		writeNew(dir, path.Join(path.Dir(root), "assay_numbers/table.rs"), rustTable(s)),
		writeNew(dir, path.Join(path.Dir(main), "assay_value/mod.rs"), string(glue)+serve),
		rustConfig(dir))
}

func rustTable(s *Set) string {
	var names, values strings.Builder
	for _, n := range s.Numbers {
		fmt.Fprintf(&names, "%q,\n", n.Name)
		fmt.Fprintf(&values, "%s_f64,\n", strconv.FormatFloat(n.Value, 'f', -1, 64))
	}
	return fmt.Sprintf("pub const NAMES: [&str; %[1]d] = [\n%[2]s];\npub const VALUES: [f64; %[1]d] = [\n%[3]s];\n",
		len(s.Numbers), &names, &values)
}

// replace puts text in place of bytes with all edits inside.
func (f *rsFile) replace(from, to int, text string) {
	f.edits = slices.DeleteFunc(f.edits, func(e edit) bool { return from <= e.from && e.to <= to })
	f.edits = append(f.edits, edit{from, to, text})
}

func (r *rust) file(name string) *rsFile {
	if i := slices.IndexFunc(r.files, func(f *rsFile) bool { return f.path == name }); i >= 0 {
		return r.files[i]
	}
	return nil
}

// mainFunction is the token fn of main, or the number of tokens.
func (f *rsFile) mainFunction() int {
	for i := 0; i < len(f.tokens); i = max(i, f.match[i]) + 1 {
		if f.is(i, "fn") && f.is(i+1, "main") {
			return i
		}
	}
	return len(f.tokens)
}

var (
	rsPackage = regexp.MustCompile(`(?ms)^\[package\].*?^name\s*=\s*"([^"]+)"`)
	rsLibrary = regexp.MustCompile(`(?m)^\[lib\](?:\n[^\[\n].*|\n)*?\nname\s*=\s*"([^"]+)"`)
)

// crateOf is the folder of the package of cargo that has a file, and the name of its library.
func crateOf(dir, file string) (folder, library string, err error) {
	for folder = path.Dir(file); ; folder = path.Dir(folder) {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(folder), "Cargo.toml"))
		if m := rsPackage.FindSubmatch(text); m != nil {
			if named := rsLibrary.FindSubmatch(text); named != nil {
				m = named
			}
			return folder, strings.ReplaceAll(string(m[1]), "-", "_"), nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", "", err
		}
		if folder == "." {
			return "", "", fmt.Errorf("%s: no Cargo.toml above it has a [package]", file)
		}
	}
}

var rsOthers = regexp.MustCompile(`(^|/)(benches|tests|examples)/|(^|/)build\.rs$`)

// mainFile is the file of the program: in the folder of the glue file, src/main.rs before others.
func (r *rust) mainFile(value string) (string, error) {
	var mains, usual []string
	for _, f := range r.files {
		inside := path.Dir(value) == "." || strings.HasPrefix(f.path, path.Dir(value)+"/")
		if !inside || rsOthers.MatchString(f.path) || f.mainFunction() == len(f.tokens) {
			continue
		}
		if mains = append(mains, f.path); strings.HasSuffix("/"+f.path, "/src/main.rs") {
			usual = append(usual, f.path)
		}
	}
	switch {
	case len(mains) == 1:
		return mains[0], nil
	case len(usual) == 1:
		return usual[0], nil
	}
	return "", fmt.Errorf("%s: not clear which file has main: %q; put %[1]s into the folder of its crate", value, mains)
}

// tableCrate is the root file of the crate that has the listed files, and the path from main to our library.
func (r *rust) tableCrate(dir string, files []string, main string) (root, library string, err error) {
	folder, name, err := crateOf(dir, files[0])
	if err != nil {
		return "", "", err
	}
	for _, f := range files {
		if other, _, _ := crateOf(dir, f); other != folder {
			return "", "", fmt.Errorf("%s: not in one package of cargo with the other files", f)
		}
	}
	module, _, _ := strings.Cut(strings.TrimPrefix(files[0], path.Dir(main)+"/"), "/")
	module = strings.TrimSuffix(module, ".rs")
	m := r.file(main)
	for i := range m.tokens {
		if files[0] == main || m.is(i, "mod") && m.is(i+1, module) && m.is(i+2, ";") {
			return main, "crate::assay_numbers", nil
		}
	}
	if root = path.Join(folder, "src/lib.rs"); r.file(root) == nil {
		return "", "", fmt.Errorf("%s: neither %s nor %s has its module", files[0], main, root)
	}
	return root, name + "::assay_numbers", nil
}

func (r *rust) literals(s *Set) {
	for k, n := range s.Numbers {
		f := r.file(n.File)
		f.edits = append(f.edits, edit{n.From, n.To, fmt.Sprintf("crate::assay_numbers::n(%d, %s)", k, n.Text)})
		for _, d := range r.items {
			if d.file == f && f.tokens[d.from].from <= n.From && n.From < f.tokens[d.to].from {
				d.numbered = true
			}
		}
	}
}

// touched are the items with numbers and items made from them, each after its sources.
func (r *rust) touched() []*rsItem {
	var order []*rsItem
	state := map[*rsItem]int{} // 1: being visited, 2: not touched, 3: touched
	var visit func(d *rsItem) bool
	visit = func(d *rsItem) bool {
		if state[d] != 0 {
			return state[d] == 3
		}
		state[d] = 1
		touched := d.numbered
		for _, name := range r.reads(d) {
			for _, other := range r.named[name] {
				touched = visit(other) || touched
			}
		}
		state[d] = 2
		if touched && !d.member {
			state[d] = 3
			order = append(order, d)
		}
		return state[d] == 3
	}
	for _, d := range r.items {
		visit(d)
	}
	return order
}

var (
	rsLocal   = regexp.MustCompile(`&(\s*[^'\s])`)
	rsForbids = regexp.MustCompile(`#!\[\s*(?:deny|forbid)\s*\(`)
)

// rewrite replaces the item by an extern static, memory of that name, and the function that makes it.
func (d *rsItem) rewrite(order int) {
	f := d.file
	from, to := f.tokens[d.start].from, f.tokens[d.to].to
	if d.name == "_" { // an assertion
		f.replace(from, to, "")
		return
	}
	typ := rsLocal.ReplaceAllString(f.span(d.typeFrom, d.typeTo), "&'static $1")
	value := splice(f.text, f.tokens[d.from].from, f.tokens[d.to].from, append(f.edits, f.boxes(d)...))
	name := fmt.Sprintf("ASSAY_%d_%s", order, d.name)
	var text string
	if d.mutable {
		text = f.span(d.start, d.to+1)
		value = d.name + " = " + value
	} else {
		text = fmt.Sprintf(`unsafe extern "C" { #[link_name = "%s"] %ssafe static %s: %s; }`+
			` %[5]s#[unsafe(export_name = "%[1]s")] static mut %[1]s: ::std::mem::MaybeUninit<%[4]s>`+
			` = ::std::mem::MaybeUninit::zeroed();`,
			name, d.visibility, d.name, typ, d.conditions)
		value = fmt.Sprintf("%s = ::std::mem::MaybeUninit::<%s>::new(%s)", name, typ, value)
	}
	text += fmt.Sprintf(` %s#[used] #[unsafe(link_section = ".init_array.00200")] static ASSAY_MAKE_%d: extern "C" fn() = {`+
		` extern "C" fn register() { crate::assay_numbers::register(%[2]d, || unsafe { %[3]s; }) } register };`,
		d.conditions, order, value)
	f.replace(from, to, text)
}

// boxes puts what an initializer borrows, and no static holds, into memory that stays.
func (f *rsFile) boxes(d *rsItem) []edit {
	var edits []edit
	for i := d.from; i < d.to; i++ {
		if f.is(i, "&") && f.is(i+1, "[") {
			from, to := f.tokens[i].from, f.tokens[f.match[i+1]].to
			edits = append(edits, edit{from, from + 1, "::std::boxed::Box::leak(::std::boxed::Box::new("}, edit{to, to, "))"})
		}
	}
	return edits
}

// write writes all files that change. Lints that would refuse what we add are allowed.
func (r *rust) write(dir string) error {
	for _, f := range r.files {
		for _, m := range rsForbids.FindAllStringIndex(f.text, -1) {
			f.edits = append(f.edits, edit{m[0], m[1], "#![allow("})
		}
		if err := f.write(dir); err != nil {
			return err
		}
	}
	return nil
}

// rustServe is what the module of the glue file gets, which keeps what assay_position returns, or FENs.
func rustServe(glue, value, library string) (string, error) {
	f := lex(value, rsPlain(glue))
	position, evaluate := "|fen| assay_position(fen)", "|p| assay_value(p)"
	for _, name := range []string{"assay_start", "assay_position", "assay_value", "assay_refresh"} {
		i := slices.IndexFunc(f.tokens, func(t token) bool { return t.text == name })
		if i < 1 || !f.is(i-1, "fn") {
			return "", fmt.Errorf("%s: no fn %s", value, name)
		}
		if name == "assay_value" && f.match[i+1] == i+2 {
			position, evaluate = "|fen| fen.to_string()", "|fen| { assay_position(fen.as_str()); assay_value() }"
		}
	}
	return fmt.Sprintf("\npub fn assay_serve() { %s::serve(assay_start, %s, %s, assay_refresh) }\n",
		library, position, evaluate), nil
}

var rsFlags = regexp.MustCompile(`(?m)^(\s*rustflags\s*=\s*\[)`)

// rustConfig removes pins of an older compiler, but for a nightly one, whose features the engine may need, and lets
// statics be read without a table of addresses, which costs up to a twentieth of the speed. Procedural macros cannot be
// compiled so.
func rustConfig(dir string) error {
	for _, pin := range []string{"rust-toolchain", "rust-toolchain.toml"} {
		if text, _ := os.ReadFile(filepath.Join(dir, pin)); strings.Contains(string(text), "nightly") {
			continue
		}
		if err := os.Remove(filepath.Join(dir, pin)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	flags := `"--cap-lints", "allow"`
	lock, _ := os.ReadFile(filepath.Join(dir, "Cargo.lock"))
	cargo, _ := os.ReadFile(filepath.Join(dir, "Cargo.toml"))
	known := lock != nil || !strings.Contains(string(cargo), "dependencies]")
	if known && !strings.Contains(string(lock)+string(cargo), "proc-macro") {
		flags += `, "-C", "relocation-model=static"`
	}
	name := ".cargo/config.toml"
	if _, err := os.Stat(filepath.Join(dir, ".cargo", "config")); err == nil {
		name = ".cargo/config"
	}
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if rsFlags.Match(text) {
		return writeNew(dir, name, rsFlags.ReplaceAllString(string(text), "${1}"+flags+", "))
	}
	return writeNew(dir, name, string(text)+"\n[target.'cfg(all())']\nrustflags = ["+flags+"]\n")
}
