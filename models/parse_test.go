package models

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/internal/setup"
)

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
		{"other unit", "shannon-1950", Unit, "pawn", []string{"w.json:4", "unit", "pawn"}},
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
	const want = `many.json:65537: term "t65536": more than 65536 terms`
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
