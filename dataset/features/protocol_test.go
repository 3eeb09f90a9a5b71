package features

import (
	"bufio"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/internal/setup"
)

const headerStart = `{"format":"assay.features/2","model":"m","records":"json","terms":[{"name":"a","mg":100,` +
	`"eg":50},{"name":"s","kind":"single","value":7},{"name":"tempo","kind":"flat","value":12,"asymmetric":true},` +
	`{"name":"open","kind":"mg","value":23},{"name":"danger","kind":"eg","mg":0,"eg":1,"fixed":true}]`

// A header says what the evaluation is made of; what this version cannot fit is refused by
// name.
func TestHeader(t *testing.T) {
	h, err := parseHeader([]byte(headerStart + `,"unit":256,"eg_scale":"sign","channels":[{"name":"all",` +
		`"kind":"tapered"}],"columns":[],"formula":null}`))
	if err != nil {
		t.Fatal(err)
	}
	want := dataset.FeatureSet{Version: 2, Model: "m", Terms: []dataset.FeatureTerm{
		{Name: "a", MG: 100, EG: 50}, {Name: "s", MG: 7, EG: 7, Kind: "single"},
		{Name: "tempo", MG: 12, EG: 12, Kind: "flat", Asymmetric: true},
		{Name: "open", MG: 23, Kind: "mg"}, {Name: "danger", EG: 1, Kind: "eg", Fixed: true},
	}, Evaluation: dataset.Evaluation{Unit: 256, Tolerance: 2, EGScale: "sign"}}
	if set := h.set(); !reflect.DeepEqual(set, want) {
		t.Errorf("%+v, want %+v", set, want)
	}
	for add, want := range map[string]string{
		`,"channels":[{"name":"all","kind":"tapered"},{"name":"king","kind":"single"}]`: `channel "king" of kind "single"`,
		`,"channels":[{"name":"king","kind":"per side"}]`:                               `channel "king" of kind "per side"`,
		`,"columns":[{"name":"material"}]`: `column "material": columns ` +
			`need a formula`,
		`,"formula":"value = x"`:            "a formula needs channels",
		`,"unit":0`:                         "unit 0",
		`,"eg_scale":"side"`:                `eg_scale "side" is not "sign"`,
		`,"eg_scale":"sign","by_side":true`: "exclude each other",
		`,"tapers":true`:                    `unknown field "tapers"`,
	} {
		if _, err := parseHeader([]byte(headerStart + add + "}")); !errors.Is(err, ErrProtocol) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", add, err, want)
		}
	}
	for from, want := range map[string][2]string{
		`"kind":"flat","value":12`: {`"value":12`, "value stands for mg and eg"},
		`"kind":"single"`:          {`"kind":"round"`, `kind "round"`},
		`"kind":"mg","value":23`:   {`"kind":"mg","mg":23,"eg":23`, "of one half alone, mg: its values are mg 23 and eg 23"},
		`"mg":0,"eg":1`:            {`"mg":2,"eg":0`, "of one half alone, eg: its values are mg 2 and eg 0"},
		`/2"`:                      {`/1"`, "features/2"},
	} {
		text := strings.Replace(headerStart, from, want[0], 1) + "}"
		if _, err := parseHeader([]byte(text)); err == nil || !strings.Contains(err.Error(), want[1]) {
			t.Errorf("%s: %v, want %s", text, err, want[1])
		}
	}
}

// bytesOf puts a binary record together.
func bytesOf(parts ...any) string {
	var out []byte
	for _, p := range parts {
		var err error
		if out, err = binary.Append(out, binary.LittleEndian, p); err != nil {
			panic(err)
		}
	}
	return string(out)
}

// The score of a position is not that of its leaf.
func TestLeafHasNoScore(t *testing.T) {
	row := dataset.PositionRow{Board: board.StartPosition(), Score: 35, Result: 1, Weight: 1}
	after := board.StartPosition()
	after.Make(after.LegalMoves(nil)[0])
	for _, c := range []struct {
		leaf *board.Position
		want int16
	}{{nil, 35}, {&row.Board, 35}, {&after, dataset.NoScore}} {
		rec := record{leaf: c.leaf}
		if rec.label(&row); rec.Score != c.want || rec.Result != 1 {
			t.Errorf("leaf %v: score %d, want %d", c.leaf, rec.Score, c.want)
		}
	}
}

// JSON and binary records say the same, and their value is the formula's.
func TestRecords(t *testing.T) {
	start := board.StartPosition()
	head := func(flags byte) []any {
		return []any{uint16(2), flags, byte(recordMark2), float32(1.25), float32(2), float32(0.5), float32(-3),
			float32(40.5), []uint16{2, 0}}
	}
	for _, c := range []struct {
		name, header, json, binary string
		value                      float64
		halves                     []int32
	}{
		{"plain", "", `{"term":[2,0],"count":[-1,2],"phase":1.25,"scale":2,"eg_scale":0.5,"offset":-3,"eval":40.5}`,
			bytesOf(append(head(flagEval), []int8{-1, 2})...), -3 - 12 + 2*(1.25*200-0.25*0.5*100), nil},
		{"halves", `,"halves":true,"float":true`, `{"term":[2,0],"count":[-1,2.5],"phase":1.25,"scale":2,` +
			`"eg_scale":0.5,"offset":-3,"eval":40.5,"halves":[250,125]}`,
			bytesOf(append(head(flagEval|flagFloat|flagHalves), []float32{-1, 2.5}, []int32{250, 125})...),
			-3 - 12 + 2*(1.25*250-0.25*0.5*125), []int32{250, 125}},
		{"by side", `,"by_side":true,"halves":true`, `{"term":[2,0],"white":[0,3],"black":[1,1],"phase":1.25,` +
			`"scale":2,"scale_white":0.5,"scale_black":1,"offset":-3,"eval":40.5,"halves":[200,150,50]}`,
			strings.Replace(bytesOf(append(head(flagEval|flagHalves|flagBySide), []int8{0, 3, 1, 1}, []int32{200, 150, 50},
				[]float32{0.5, 1})...),
				bytesOf(float32(0.5), float32(-3)), bytesOf(float32(1), float32(-3)), 1),
			-3 - 12 + 2*(1.25*200-0.25*(0.5*150-50)), []int32{200, 150, 50}},
	} {
		var first *record
		for form, data := range map[string]string{recordsJSON: c.json + "\n", recordsBinary: c.binary} {
			h := setup.Must(parseHeader([]byte(strings.Replace(headerStart+c.header+"}", recordsJSON, form, 1))))
			rr := newRecordReader(bufio.NewReader(strings.NewReader(data)), h)
			rec, err := rr.next(&start)
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, form, err)
			}
			set := h.set()
			if v := set.Value(&rec.FeatureRow); math.Abs(v-c.value) > 1e-9 || !reflect.DeepEqual(rec.halves, c.halves) {
				t.Errorf("%s, %s: value %v, want %v; %+v", c.name, form, v, c.value, rec)
			}
			rec.Eval = float32(c.value)
			if err := checkRecord(&set, rec); err != nil {
				t.Errorf("%s, %s: %v", c.name, form, err)
			}
			if rec.halves != nil {
				rec.halves[1]++
				if err := checkRecord(&set, rec); !errors.Is(err, dataset.ErrDrift) ||
					!strings.Contains(err.Error(), "endgame half") {
					t.Errorf("%s, %s, wrong half: %v", c.name, form, err)
				}
			}
			if first != nil && !reflect.DeepEqual(first, rec) {
				t.Errorf("%s: JSON and binary say %+v and %+v", c.name, first, rec)
			}
			first = rec
		}
	}
	for name, c := range map[string][3]string{
		"no halves":    {`,"halves":true`, `{"term":[],"count":[]}`, "0 halves, want 2"},
		"by side":      {"", `{"term":[],"white":[],"black":[]}`, `need "by_side":true`},
		"not by side":  {`,"by_side":true`, `{"term":[],"count":[]}`, "want white, black"},
		"leaf":         {`,"resolves":true`, `{"term":[],"count":[]}`, "names its leaf"},
		"bad leaf":     {`,"resolves":true`, `{"term":[],"count":[],"leaf":"8/8"}`, "leaf: "},
		"channel flag": {`b`, bytesOf(append(head(flagChannels), []int8{1, 1})...), "counts each side"},
		"column flag":  {`b`, bytesOf(append(head(flagColumns), []int8{1, 1})...), "columns"},
		"side flag":    {`b`, bytesOf(append(head(flagBySide), []int8{1, 1, 1, 1})...), "by side"},
		"text mode":    {`b`, "\r" + bytesOf(head(0)...), "text mode"},
	} {
		header := headerStart + c[0] + "}"
		if c[0] == "b" {
			header = strings.Replace(headerStart+"}", recordsJSON, recordsBinary, 1)
		}
		h := setup.Must(parseHeader([]byte(header)))
		rr := newRecordReader(bufio.NewReader(strings.NewReader(c[1]+"\n")), h)
		if _, err := rr.next(&start); !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v, want %s", name, err, c[2])
		}
	}
}

// TestFactorOfNoSide: where the endgame half is 0, eg_scale may be either side's.
func TestFactorOfNoSide(t *testing.T) {
	set := dataset.FeatureSet{Version: 2, Terms: []dataset.FeatureTerm{{Name: "pawn", MG: 100, EG: 100}},
		Evaluation: dataset.Evaluation{Unit: 100, Tolerance: 2, EGScale: dataset.EGScaleBySign}}
	answer := func(count, egScale float32) *record {
		r := &record{FeatureRow: dataset.FeatureRow{Scale: 1, EGScale: egScale, Eval: dataset.NoEval}, scaleWhite: 1,
			scaleBlack: 1}
		if count != 0 {
			r.Terms, r.Counts = []uint16{0}, []float32{count}
		}
		return r
	}
	if d := twinDifferences(&set, answer(0, 0.5), answer(0, 1)); len(d) != 0 {
		t.Errorf("no side is ahead: %q", d)
	}
	if d := twinDifferences(&set, answer(1, 0.5), answer(-1, 1)); len(d) != 1 {
		t.Errorf("a side is ahead: %q", d)
	}
}
