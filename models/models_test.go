package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/setup"
)

var update = flag.Bool("update", false, "write the embedded start weights and the golden exports")

// start returns what the embedded file of a model must hold.
func start(m *eval.Model) *File {
	f := New(m, m.Start)
	f.Provenance.Method = map[string]string{
		"shannon-1950":     "as stated in Shannon 1950, section 3",
		"shannon-appendix": "Shannon 1950, section 3; for the terms of the appendix, which has no numbers, ours",
		"machack-1967":     "Greenblatt et al. 1967, 1/128 pawn to centipawns; pawn terms, which have no numbers, ours",
		"assay":            "Shannon's numbers (1950, section 3) and zero for every other term",
	}[m.Name]
	return f
}

// A caller that changes embedded weights changes them for no one else.
func TestEmbeddedIsACopy(t *testing.T) {
	f, err := Embedded(Default)
	setup.Check(t, err)
	id, data := f.ID(), f.Provenance.Data[0]
	f.Terms[0].MG++
	f.Provenance.Data[0] = "changed"
	if f, err = Embedded(champion); err != nil || f.ID() != id || f.Provenance.Data[0] != data {
		t.Errorf("id %s, want %s; data %s, %v", f.ID(), id, f.Provenance.Data[0], err)
	}
}

// testUnfitted checks a model without embedded weights: its name means its start weights, and
// a file says for which formula its weights are.
func testUnfitted(t *testing.T, m *eval.Model) {
	t.Helper()
	f := setup.Must(Open(StartOf(m.Name)))
	if model, w, err := f.Weights(); err != nil || model != m || !slices.Equal(w, m.Start) {
		t.Errorf("%s: weights differ from the model's start (%v)", m.Name, err)
	}
	text, err := f.Encode()
	if err != nil || !bytes.Contains(text, []byte(`"formula": "let `)) {
		t.Fatalf("%s: no formula in %.300s, %v", m.Name, text, err)
	}
	if again, err := Parse("x", text); err != nil || again.ID() != f.ID() {
		t.Errorf("%s: read again: %v", m.Name, err)
	}
	other := bytes.Replace(text, []byte(`"formula": "let `), []byte(`"formula": "let  `), 1)
	if _, err := Parse("x", other); err == nil || !strings.Contains(err.Error(), "the formula of these weights differs") {
		t.Errorf("%s: a file for another formula: %v", m.Name, err)
	}
	linear := bytes.Replace(text, []byte(m.Name), []byte("assay"), 1)
	if _, err := Parse("x", linear); err == nil {
		t.Errorf("%s: it has the weights of the model assay", m.Name)
	}
}

func TestEmbedded(t *testing.T) {
	for _, m := range eval.Models() {
		if m.Nonlinear != nil {
			testUnfitted(t, m)
			continue
		}
		want := setup.Must(start(m).Encode())
		path := StartOf(m.Name) + ".json"
		if *update {
			setup.Check(t, os.WriteFile(path, want, 0o644))
			continue // the next build embeds it
		}
		got := setup.Must(os.ReadFile(path))
		if !bytes.Equal(got, want) {
			t.Errorf("%s does not hold the start weights of %s: run go test ./models -update", path, m.Name)
		}
		f := setup.Must(Embedded(StartOf(m.Name)))
		model, w, err := f.Weights()
		if err != nil || model != m || !slices.Equal(w, m.Start) {
			t.Errorf("%s: weights differ from the model's start (%v)", m.Name, err)
		}
	}
}

// TestChampion checks that the default weights were learned, with full provenance and no path of a machine.
func TestChampion(t *testing.T) {
	if *update {
		for _, k := range catalog {
			addTerms(t, k.name+".json")
		}
		return // the next build embeds them
	}
	newest := setup.Must(Embedded(champion))
	f, err := Embedded(Default)
	if err != nil || f.ID() != newest.ID() {
		t.Fatalf("%s is not %s: %v", Default, champion, err)
	}
	names := Names()
	if names[len(names)-2] != champion || names[len(names)-1] != Default {
		t.Errorf("the newest of %v is not %s", names, champion)
	}
	for _, k := range catalog {
		if f, err := Embedded(k.name); err != nil || f.Model != k.model {
			t.Errorf("%s is not for the model %s: %v", k.name, k.model, err)
		}
	}
	for model, want := range map[string]string{"assay": "assay-1", "assay-bent": "assay-4",
		"shannon-1950": "shannon-1950", "nosuch": "nosuch"} {
		if got := NewestOf(model); got != want {
			t.Errorf("the newest weights of %s are %s, want %s", model, got, want)
		}
	}
	files, err := filepath.Glob("*.json")
	if err != nil || len(files) != len(names)-1 {
		t.Errorf("names %v do not match files %v", names, files)
	}
	for _, file := range files {
		f := setup.Must(Load(file))
		v := f.Provenance
		if strings.HasPrefix(file, "assay-") && file != "assay-start.json" &&
			(v.Parent == "" || len(v.Data) == 0 || v.Games == 0 || v.LossValid == 0 || v.Program == "" || v.Time == "") {
			t.Errorf("%s: incomplete provenance %+v", file, v)
		}
		for _, text := range slices.Concat(v.Data, []string{v.Parent, v.Split, v.Program, v.Config}) {
			if strings.ContainsAny(text, `/\\`) {
				t.Errorf("%s: the provenance contains a path: %s", file, text)
			}
		}
	}
}

// TestHistory reads the weights of every generation behind the champion.
func TestHistory(t *testing.T) {
	files, err := filepath.Glob("history/gen-*/weights.json")
	later, errLater := filepath.Glob("history/*/gen-*/weights.json")
	if err = errors.Join(err, errLater); err != nil || len(files) == 0 || len(later) < 3 {
		t.Fatalf("no weights: %v, %v, %v", files, later, err)
	}
	for _, file := range append(files, later...) {
		if *update {
			addTerms(t, file)
		}
		if _, err := Load(file); err != nil {
			t.Error(err)
		}
	}
}

// Files whose terms are today's stay as they are.
func TestAddTerms(t *testing.T) {
	for _, k := range catalog {
		text := setup.Must(os.ReadFile(k.name + ".json"))
		path := filepath.Join(t.TempDir(), "w.json")
		setup.Check(t, os.WriteFile(path, text, 0o644))
		addTerms(t, path)
		if got := setup.Must(os.ReadFile(path)); !bytes.Equal(got, text) {
			t.Errorf("%s is not written as it was", k.name)
		}
	}
}

// addTerms rewrites a weight file after the terms of its model changed: new terms get the
// model's start weights, terms that the model no longer has are dropped.
func addTerms(t *testing.T, path string) {
	t.Helper()
	text := setup.Must(os.ReadFile(path))
	var named struct{ Model string }
	setup.Check(t, json.Unmarshal(text, &named))
	m := setup.Must(eval.Lookup(named.Model))
	// Under another name, without a formula, the file is an external evaluation, which may have any terms.
	foreign := bytes.Replace(text, []byte(`"model": "`+named.Model+`"`), []byte(`"model": "old"`), 1)
	old := setup.Must(ParseAny(path, regexp.MustCompile(`(?m)^ *"formula": .*\n`).ReplaceAll(foreign, nil)))
	f := New(m, m.Start)
	f.K, f.Provenance = old.K, old.Provenance
	has := old.byName()
	for i := range f.Terms {
		if w := has[f.Terms[i].Name]; w != nil {
			f.Terms[i] = *w
		}
	}
	text = setup.Must(f.Encode())
	setup.Check(t, os.WriteFile(path, text, 0o644))
}

// fitted returns a file of the model assay with every field set.
func fitted(t *testing.T) *File {
	m := setup.Must(eval.Lookup("assay"))
	f := New(m, m.Start)
	f.K = 0.0043210987654321
	for i := range f.Terms {
		w := &f.Terms[i]
		w.MG, w.EG = int32(i*37%2000-1000), int32(i*91%2000-1000)
		w.FitMG, w.FitEG = float64(w.MG)+1.0/3, float64(w.EG)-1e-7
		w.SEMG, w.SEEG, w.Count = math.Sqrt(float64(i+2)), 1e-9, int64(i)
	}
	f.Provenance = Provenance{
		Parent: "0123456789ab", Data: []string{"sha256:aa", "sha256:bb"}, Rows: 1 << 40, Games: 1000,
		Split: "by game, 10 %", LossTrain: 0.6123, LossValid: 0.6234, Method: "gauss-newton",
		Seed: math.MaxUint64, Program: `assay "0.1" <&>`, Config: "{}", Time: "2030-01-02T03:04:05Z",
	}
	return f
}

func TestRoundTrip(t *testing.T) {
	want := fitted(t)
	text := setup.Must(want.Encode())
	got := setup.Must(Parse("w.json", text))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back:\n%+v\nwritten:\n%+v", got, want)
	}
	again, _ := got.Encode()
	if !bytes.Equal(text, again) {
		t.Error("encoding the same content again gives another text")
	}
}

// TestID checks what an id depends on, and the id of Shannon's weights: game files and
// reports contain ids.
func TestID(t *testing.T) {
	f := fitted(t)
	id := f.ID()
	f.K, f.Provenance.Time, f.Terms[3].FitMG = 0.01, "", 5
	if f.ID() != id {
		t.Error("the id depends on more than model and weights")
	}
	f.Terms[3].EG++
	if f.ID() == id {
		t.Error("the id does not depend on the weights")
	}
	shannon := setup.Must(Embedded("shannon-1950"))
	if got := shannon.ID(); got != "0f928dcdd93a" {
		t.Errorf("id of shannon-1950 is %s", got)
	}
}

// TestOrder checks that a file may hold its terms in any order.
func TestOrder(t *testing.T) {
	want := fitted(t)
	text, _ := want.Encode()
	lines := strings.Split(string(text), "\n")
	first := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, `"pawn"`) })
	lines[first], lines[first+9] = lines[first+9], lines[first]
	got := setup.Must(Parse("w.json", []byte(strings.Join(lines, "\n"))))
	if !reflect.DeepEqual(got, want) {
		t.Error("order of the terms in the file matters")
	}
}

func TestEncodeRefuses(t *testing.T) {
	sixth := fitted(t).Terms[5].Name
	for _, test := range []struct {
		name string
		edit func(f *File)
		want string
	}{
		{"NaN", func(f *File) { f.Terms[5].SEMG = math.NaN() }, sixth},
		{"Inf", func(f *File) { f.Terms[5].FitEG = math.Inf(1) }, sixth},
		{"loss", func(f *File) { f.Provenance.LossValid = math.NaN() }, "loss_valid"},
		{"K", func(f *File) { f.K = math.NaN() }, "K"},
		{"range", func(f *File) { f.Terms[5].MG = 30001 }, sixth},
		{"model", func(f *File) { f.Model = "other" }, "other"},
		{"order", func(f *File) { f.Terms[0], f.Terms[5] = f.Terms[5], f.Terms[0] }, sixth},
		{"short", func(f *File) { f.Terms = f.Terms[:5] }, "terms"},
	} {
		f := fitted(t)
		test.edit(f)
		if _, err := f.Encode(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error naming %q", test.name, err, test.want)
		}
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.json")
	want := fitted(t)
	text, _ := want.Encode()
	setup.Check(t, os.WriteFile(path, text, 0o644))
	f, err := Open(path)
	if err != nil || f.ID() != want.ID() {
		t.Errorf("Open(%s): %v", path, err)
	}
	if f, err = Open("assay-1"); err != nil || f.Model != "assay" {
		t.Errorf("Open(assay-1): %v", err)
	}
	if _, err := Open("nowhere.json"); !errors.Is(err, os.ErrNotExist) ||
		!strings.Contains(err.Error(), "shannon-1950") {
		t.Errorf("Open of a missing file: %v", err)
	}
	if _, err := Embedded("nowhere"); !errors.Is(err, errUnknownName) {
		t.Errorf("Embedded(nowhere): %v", err)
	}
	if _, err := Open(filepath.Dir(path)); err == nil {
		t.Error("Open of a directory succeeds")
	}
}

// replaced returns the embedded file of the model with one text in place of another.
func replaced(t *testing.T, model, old, with string) string {
	t.Helper()
	data := setup.Must(embedded.ReadFile(model + ".json"))
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s.json does not contain %s", model, old)
	}
	return strings.Replace(string(data), old, with, 1)
}

func TestParseErrors(t *testing.T) {
	const knight = `{"name": "knight", "mg": 300}`
	for _, test := range []struct {
		name, model, old, with string
		want                   []string
	}{
		{"empty", "shannon-1950", replaced(t, "shannon-1950", "", ""), "", []string{"w.json:1", "ends in the middle"}},
		{"no JSON", "shannon-1950", "{", "<", []string{"w.json:1", "not JSON"}},
		{"a list", "shannon-1950", replaced(t, "shannon-1950", "", ""), "[]", []string{"w.json:1", "an object"}},
		{"null", "shannon-1950", replaced(t, "shannon-1950", "", ""), "null", []string{"w.json:1", "null"}},
		{"unknown term", "shannon-1950", `"knight"`, `"nightrider"`, []string{"w.json", "nightrider", "shannon-1950"}},
		{"missing term", "shannon-1950", knight + ",", "", []string{"w.json", "knight", "missing"}},
		{"term twice", "shannon-1950", knight, knight + "," + knight, []string{"w.json:22", "knight", "twice"}},
		{"NaN", "shannon-1950", `"mg": 300`, `"mg": NaN`, []string{"w.json:22", "knight", "mg"}},
		{"null weight", "shannon-1950", `"mg": 300`, `"mg": null`, []string{"w.json:22", "knight", "mg", "null"}},
		{"large", "shannon-1950", `"mg": 300`, `"mg": 30001`, []string{"w.json:22", "knight", "mg", "30001"}},
		{"huge", "shannon-1950", `"mg": 300`, `"mg": 1e300`, []string{"w.json:22", "knight", "mg", "1e300"}},
		{"64 bits", "shannon-1950", `"mg": 300`, `"mg": 99999999999999999999`, []string{"w.json:22", "knight", "mg"}},
		{"fraction", "shannon-1950", `"mg": 300`, `"mg": 300.5`, []string{"w.json:22", "knight", "mg", "300.5"}},
		{"text for number", "shannon-1950", `"mg": 300`, `"mg": "300"`, []string{"w.json:22", "knight", "mg", `"300"`}},
		{"list for number", "shannon-1950", `"mg": 300`, `"mg": [300]`, []string{"w.json:22", "knight", "mg", "a list"}},
		{"number for text", "shannon-1950", `"knight"`, `5`, []string{"w.json:22", "term 1", "name"}},
		{"infinite fit", "shannon-1950", `"mg": 300`, `"mg": 300, "fit_mg": 1e999`,
			[]string{"w.json:22", "knight", "fit_mg", "1e999"}},
		{"negative count", "shannon-1950", `"mg": 300`, `"mg": 300, "count": -1`, []string{"w.json:22", "knight", "count"}},
		{"not tapered", "shannon-1950", `"mg": 300`, `"mg": 300, "eg": 301`, []string{"w.json", "knight", "not tapered"}},
		{"field twice", "shannon-1950", `"mg": 300`, `"mg": 300, "mg": 300`, []string{"w.json:22", "knight", "mg", "twice"}},
		{"unknown field", "shannon-1950", `"mg": 300`, `"mg": 300, "mq": 1`, []string{"w.json:22", "knight", "mq"}},
		{"no weight", "shannon-1950", `"name": "knight", "mg": 300`, `"name": "knight"`,
			[]string{"w.json:22", "knight", `"mg" is missing`}},
		{"no name", "shannon-1950", `"name": "knight", "mg": 300`, `"mg": 300`,
			[]string{"w.json:22", "term 1", `"name" is missing`}},
		{"no eg", "assay-start", `"name": "rook", "mg": 500, "eg": 500`, `"name": "rook", "mg": 500`,
			[]string{"w.json", "rook", "eg is missing"}},
		{"term no object", "shannon-1950", knight, "300", []string{"w.json:22", "term 1", "an object"}},
		{"trailing", "shannon-1950", "  ]\n}\n", "  ]\n}\n{}", []string{"w.json:32", "after top-level value"}},
		{"truncated", "shannon-1950", "  ]\n}\n", "", []string{"w.json", "ends in the middle"}},
		{"trailing comma", "shannon-1950", knight + ",", knight + ",,", []string{"w.json:22", "not JSON"}},
		{"other format", "shannon-1950", formatName, "assay.weights/2", []string{"w.json:2", "format", "assay.weights/2"}},
		{"no format", "shannon-1950", `"format": "assay.weights/1",`, "", []string{"w.json", `"format" is missing`}},
		{"other unit", "shannon-1950", centipawn, "pawn", []string{"w.json:4", "unit", "pawn"}},
		{"no unit", "shannon-1950", `"unit": "centipawn",`, "", []string{"w.json", `"unit" is missing`}},
		{"other model", "shannon-1950", `"model": "shannon-1950"`, `"model": "turing"`,
			[]string{"w.json", "turing", "shannon-1950"}},
		{"empty model", "shannon-1950", `"model": "shannon-1950"`, `"model": ""`, []string{"w.json", "model", "empty name"}},
		{"long model", "shannon-1950", `"model": "shannon-1950"`, `"model": "` + strings.Repeat("x", 1e5) + `"`,
			[]string{"w.json", "100000 bytes, at most 128"}},
		{"model with control characters", "shannon-1950", `"model": "shannon-1950"`, `"model": "a\u001b[2Jb"`,
			[]string{"w.json", `"a\x1b[2Jb"`, "U+001B"}},
		{"no model", "shannon-1950", `"model": "shannon-1950",`, "", []string{"w.json", `"model" is missing`}},
		{"K zero", "shannon-1950", `"K": 0.00`, `"K": -0.00`, []string{"w.json:5", "K"}},
		{"K text", "shannon-1950", `"K": 0.00`, `"K": "1", "x": 1`, []string{"w.json:5", "K"}},
		{"terms object", "shannon-1950", `"terms": [`, `"terms": {`, []string{"w.json:20", "terms", "a list"}},
		{"provenance list", "shannon-1950", `"provenance": {`, `"provenance": [`,
			[]string{"w.json:6", "provenance", "an object"}},
		{"data number", "shannon-1950", `"data": []`, `"data": [7]`, []string{"w.json:8", "data", "7"}},
		{"seed negative", "shannon-1950", `"seed": 0`, `"seed": -1`, []string{"w.json:15", "seed", "-1"}},
		{"deep", "shannon-1950", `"mg": 300`, `"mg": ` + strings.Repeat("[", 1<<20), []string{"w.json:22", "knight", "mg"}},
		{"long", "shannon-1950", `"knight"`, `"` + strings.Repeat("k", 1<<20) + `"`, []string{"w.json", "kkk"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := Parse("w.json", []byte(replaced(t, test.model, test.old, test.with)))
			if err == nil {
				t.Fatalf("no error, but %+v", f)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %.300q does not contain %q", err, want)
				}
			}
			if len(err.Error()) > 2000 && test.name != "long" {
				t.Errorf("error of %d bytes", len(err.Error()))
			}
		})
	}
}

// TestForeignNames checks that names which Parse refuses are refused by Encode too.
func TestForeignNames(t *testing.T) {
	const file = `{"format":"assay.weights/1","model":"mine","unit":"centipawn","K":1,
	"provenance":{},"terms":[{"name":"a.b","group":"g","mg":3}]}`
	f := setup.Must(ParseAny("w.json", []byte(file)))
	for _, test := range []struct {
		old, with, want string
		change          func()
	}{
		{`"mine"`, `""`, "model: an empty name", func() { f.Model = "" }},
		{`"mine"`, `"a\nb"`, "U+000A", func() { f.Model = "a\nb" }},
		{`"a.b"`, `"a.\tb"`, "U+0009", func() { f.Model, f.Terms[0].Name, f.External[0].Name = "mine", "a.\tb", "a.\tb" }},
		{`"g"`, `"\u0007"`, "U+0007", func() { f.Terms[0].Name, f.External[0].Name, f.External[0].Group = "a", "a", "\a" }},
	} {
		if _, err := ParseAny("w.json", []byte(strings.Replace(file, test.old, test.with, 1))); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse %s: %v", test.with, err)
		}
		test.change()
		if _, err := f.Encode(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Encode %s: %v", test.with, err)
		}
	}
}

// TestSize checks that a file beyond maxSize is refused without being read completely.
func TestSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.json")
	file := setup.Must(os.Create(path))
	defer file.Close()
	setup.Check(t, file.Truncate(200<<20))
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "large.json") ||
		!strings.Contains(err.Error(), "bytes") {
		t.Errorf("Load of 200 MB: %v", err)
	}
}

// TestManyTerms checks that a file below maxSize with more than maxTerms terms is refused.
func TestManyTerms(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"format": "assay.weights/1", "model": "mine", "unit": "centipawn", "K": 0.005,
	"provenance": {}, "terms": [`)
	for i := range maxTerms + 1 {
		fmt.Fprintf(&b, "{\"name\": \"t%d\", \"mg\": 1},\n", i)
	}
	text := strings.TrimSuffix(b.String(), ",\n") + "]}"
	const want = `many.json:65538: term "t65536": more than 65536 terms`
	if _, err := ParseAny("many.json", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// FuzzParse checks that Encode and Parse return every content that Parse accepts.
func FuzzParse(f *testing.F) {
	for _, name := range Names() {
		data := setup.Must(embedded.ReadFile(CanonicalName(name) + ".json"))
		f.Add(data)
	}
	f.Add([]byte(`{"format":"assay.weights/1","model":"mine","unit":"centipawn","K":1,"provenance":{},"terms":[{"name":"a.b","mg":-3,"eg":-4},{"name":"c","group":"d","mg":1,"fit_mg":0.75}]}`))
	f.Add([]byte(`{"format":"assay.weights/1","model":"shannon-1950","unit":"centipawn","K":1,"provenance":{},"terms":[{"name":"pawn","mg":-3,"eg":-3}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ParseAny("fuzz", data)
		if err != nil {
			return
		}
		text, err := file.Encode()
		if err != nil {
			t.Fatalf("Encode refuses what Parse accepted: %v", err)
		}
		again, err := ParseAny("again", text)
		if err != nil {
			t.Fatalf("Parse refuses what Encode wrote: %v", err)
		}
		if !reflect.DeepEqual(file, again) {
			t.Fatalf("read %+v\nthen %+v", file, again)
		}
	})
}
