package play

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner/spsa"
)

// ListForm is how another program lists parameters.
type ListForm string

// The forms that parameter_file is read in, and a result printed.
const (
	openBench      ListForm = "OpenBench"       // lines: name, int, value, min, max, c_end, r_end
	weatherFactory ListForm = "weather-factory" // config.json: name -> value, min_value, max_value, step
)

const maxListBytes = 1 << 20

const openBenchLine = "name, int or float, value, min, max, c_end, r_end"

// ReadList reads parameters in either form: JSON if it begins with a brace.
func ReadList(path string) (form ListForm, list []FileParameter, err error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxListBytes {
		err = fmt.Errorf("%s: %d bytes, but a list of parameters has %d at most", path, info.Size(), maxListBytes)
	}
	if err != nil {
		return "", nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	form, read := openBench, readOpenBench
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		form, read = weatherFactory, readWeatherFactory
	}
	list, err = read(data)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no parameters: want lines of %s, or weather-factory's config.json", openBenchLine)
	}
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, err)
	}
	return form, list, nil
}

// readOpenBench reads what the SPSA form of OpenBench takes
// (AndyGrant/OpenBench, workloads/verify_workload.py, verify_spsa_inputs).
func readOpenBench(data []byte) ([]FileParameter, error) {
	var list []FileParameter
	seen := map[string]int{}
	for i, line := range strings.Split(string(data), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		p, err := openBenchParameter(strings.Split(line, ","))
		if err == nil && seen[p.Name] > 0 {
			err = fmt.Errorf("%s is also in line %d: remove one of them", p.Name, seen[p.Name])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		seen[p.Name] = i + 1
		list = append(list, p)
	}
	return list, nil
}

func openBenchParameter(fields []string) (p FileParameter, err error) {
	if len(fields) != 7 {
		return p, fmt.Errorf("%d fields: want 7, separated by commas: %s", len(fields), openBenchLine)
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	var numbers [5]float64
	for i, name := range []string{"value", "min", "max", "c_end", "r_end"} {
		if numbers[i], err = strconv.ParseFloat(fields[2+i], 64); err != nil {
			return p, fmt.Errorf("%s of %s: %q is not a number: want %s", name, fields[0], fields[2+i], openBenchLine)
		}
	}
	p = FileParameter{Name: fields[0], Type: fields[1],
		Start: &numbers[0], Min: &numbers[1], Max: &numbers[2], CEnd: numbers[3], REnd: numbers[4]}
	if p.CEnd <= 0 || p.REnd <= 0 {
		return p, fmt.Errorf("c_end and r_end of %s must be above zero", p.Name)
	}
	_, err = p.checked()
	return p, err
}

// weatherParameter is a value of weather-factory's config.json. Its step is the first
// perturbation, here the last; all its parameters are integers.
type weatherParameter struct {
	Value *float64 `json:"value"`
	Min   *float64 `json:"min_value"`
	Max   *float64 `json:"max_value"`
	Step  float64  `json:"step"`
}

// readWeatherFactory reads config.json of weather-factory (jnlt3/weather-factory,
// README.md and class Param of spsa.py), in the order of the file.
func readWeatherFactory(data []byte) ([]FileParameter, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	fail := func(err error) ([]FileParameter, error) {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the file ends too early: close its braces")
		}
		line := 1 + bytes.Count(data[:min(dec.InputOffset(), int64(len(data)))], []byte("\n"))
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	if _, err := dec.Token(); err != nil {
		return fail(err)
	}
	var list []FileParameter
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return fail(err)
		}
		name, _ := token.(string)
		var w weatherParameter
		if err := dec.Decode(&w); err != nil {
			return fail(fmt.Errorf(`%s: %w: want {"value": 100, "min_value": 50, "max_value": 150, "step": 10}`, name, err))
		}
		p := FileParameter{Name: name, Start: w.Value, Min: w.Min, Max: w.Max, CEnd: w.Step}
		switch _, err := p.checked(); {
		case seen[name]:
			return fail(fmt.Errorf("%s is given twice: remove one of them", name))
		case w.Step <= 0 || w.Value == nil || w.Min == nil || w.Max == nil:
			return fail(fmt.Errorf("%s: value, min_value, max_value and a step above zero are required", name))
		case err != nil:
			return fail(fmt.Errorf("%s: %w (c_end is its step, start its value)", name, err))
		}
		seen[name] = true
		list = append(list, p)
	}
	if _, err := dec.Token(); err != nil {
		return fail(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fail(errors.New("text after the parameters: remove it"))
	}
	return list, nil
}

// checked returns the parameter if a run can have it, whatever r_end is.
func (p FileParameter) checked() (spsa.Parameter, error) {
	if p.REnd == 0 {
		p.REnd = 1
	}
	q, err := p.parameter()
	if err == nil {
		err = q.Validate()
	}
	return q, err
}

// Format returns parameters with new values in a form that ReadList and the other program
// read.
func (form ListForm) Format(parameters []spsa.Parameter, values []float64) string {
	var b strings.Builder
	for i := range parameters {
		p := &parameters[i]
		if form == openBench {
			kind := "float"
			if p.Integer {
				kind = "int"
			}
			fmt.Fprintf(&b, "%s, %s, %s, %v, %v, %v, %v\n", p.Name, kind, Text(p, values[i]), p.Min, p.Max, p.CEnd, p.REnd)
			continue
		}
		comma := ","
		if i == len(parameters)-1 {
			comma = ""
		}
		name, _ := json.Marshal(p.Name) // a string can be marshalled
		fmt.Fprintf(&b, `    %s: {"value": %s, "min_value": %v, "max_value": %v, "step": %v}%s`+"\n",
			name, Text(p, values[i]), p.Min, p.Max, p.CEnd, comma)
	}
	if form == weatherFactory {
		return "{\n" + b.String() + "}\n"
	}
	return b.String()
}

// termEffect is what a change by c_end is worth in a typical position, in centipawns. In
// simulated runs of 1,600 games that start 30 Elo below the optimum, nine such parameters find
// almost half of it; with 25, and bounds five c_end away, a third. RESULTS.md has real runs.
const termEffect = 40

const (
	// largeShare: a large weight changes by this share of itself, if that is more.
	largeShare = 0.1
	// cEndsToBound is the distance from the start to min and to max, in c_end.
	cEndsToBound = 4
)

// sampleText holds one position of each of 300 games that shannon-1950 played against
// itself at 1,000 nodes a move (seed 1).
//
//go:embed sample.fen
var sampleText string

// TermParameters returns the terms of a model as parameters, with the weights as start values. The
// parameters have the names by which players take them as options: the term's where both
// of its weights are equal, else one with eval.OnlyMG and one with eval.OnlyEG. Terms that depend
// on the root of a search are left out.
//
// c_end is termEffect by the term's typical count, which is the root mean square of White's
// count minus Black's in a sample of positions, where it is not 0 (1 if it always is); or a
// tenth of the weight, if that is more. min and max are four c_end below and above the
// start, and positive material stays so. r_end is left 0, for the default of the run.
func TermParameters(m *eval.Model, w []eval.Coef) []FileParameter {
	typical := typicalCounts(m)
	var list []FileParameter
	for i := range m.Terms {
		t := &m.Terms[i]
		if t.Rooted {
			continue
		}
		if w[i].MG == w[i].EG {
			list = append(list, termParameter(t, t.Name, w[i].MG, typical[i]))
			continue
		}
		list = append(list, termParameter(t, t.Name+eval.OnlyMG, w[i].MG, typical[i]),
			termParameter(t, t.Name+eval.OnlyEG, w[i].EG, typical[i]))
	}
	return list
}

func termParameter(t *eval.Term, name string, weight int32, typical float64) FileParameter {
	start := float64(weight)
	cEnd := max(termEffect/typical, largeShare*math.Abs(start), 0.5)
	cEnd = math.Round(cEnd*10) / 10
	lo, hi := math.Floor(start-cEndsToBound*cEnd), math.Ceil(start+cEndsToBound*cEnd)
	if t.Group == eval.GroupMaterial && weight > 0 {
		lo = max(lo, 0)
	}
	lo, hi = max(lo, -eval.MaxCoef), min(hi, eval.MaxCoef)
	return FileParameter{Name: name, Start: &start, Min: &lo, Max: &hi, CEnd: cEnd}
}

// typicalCounts returns the root mean square of each term's count where it occurs in the
// sample, 1 where it never does.
func typicalCounts(m *eval.Model) []float64 {
	squares, rows := make([]int64, len(m.Terms)), make([]int64, len(m.Terms))
	var f eval.Features
	for fen := range strings.Lines(sampleText) {
		p, err := board.ParseFEN(strings.TrimSpace(fen))
		if err != nil {
			panic("play: sample.fen: " + err.Error()) // never: a test counts in all of them
		}
		m.Features(&p, &f)
		for _, e := range f.Entries {
			squares[e.Term] += int64(e.Count)*int64(e.Count) + int64(e.Black)*int64(e.Black)
			rows[e.Term]++
		}
	}
	typical := make([]float64, len(m.Terms))
	for i := range typical {
		typical[i] = 1
		if rows[i] > 0 {
			typical[i] = math.Sqrt(float64(squares[i]) / float64(rows[i]))
		}
	}
	return typical
}
