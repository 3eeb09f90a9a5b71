package learn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// RunConfig is the content of a run's config.json.
type RunConfig struct {
	Program    string `json:"program"`
	StartID    string `json:"start_id"`
	OpponentID string `json:"opponent_id"`
	Plan       Plan   `json:"plan"`
}

// ReadPlan reads a plan from a file: a bare one, or a run's config.json, which says of
// what weights it was made. Reading is strict. What a plan need not say: model, from
// and opponent are those of WithDefaults, hash_mb is 1; keep is 3, decay 0.5, mirrored null, prior
// 1, and the filter positions.DefaultFilter. Errors name the file and the field.
func ReadPlan(path string) (*RunConfig, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := parsePlan(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func parsePlan(data []byte) (*RunConfig, error) {
	var outer struct {
		Plan jsontext.Value `json:"plan"`
	}
	if err := json.Unmarshal(data, &outer); err != nil {
		return nil, planError(err)
	}
	c := &RunConfig{Plan: Plan{Hash: 1}}
	var to any = c
	if outer.Plan == nil {
		to = &c.Plan
	}
	strict := json.JoinOptions(json.RejectUnknownMembers(true), json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalGeneration)))
	if err := json.Unmarshal(data, to, strict); err != nil {
		return nil, planError(err)
	}
	c.Plan = c.Plan.WithDefaults()
	return c, c.Plan.check()
}

// unmarshalGeneration reads what a generation says beside the defaults.
func unmarshalGeneration(dec *jsontext.Decoder, g *Generation) error {
	type plain Generation // without this function
	p := plain(newGeneration())
	err := json.UnmarshalDecode(dec, &p)
	*g = Generation(p)
	if g.byGames() && math.IsNaN(g.Lambda) {
		g.Lambda = 1 // results alone: there is no label
	}
	return err
}

// planError says in words what is wrong where.
func planError(err error) error {
	var wrong *json.SemanticError
	if !errors.As(err, &wrong) {
		return fmt.Errorf("%w: %w", ErrPlan, err)
	}
	field := cmp.Or(fieldOf(wrong.JSONPointer), "(all)")
	if errors.Is(err, json.ErrUnknownName) {
		return fmt.Errorf("%w: %s: there is no such field", ErrPlan, field)
	}
	return fmt.Errorf("%w: %s: want %s, got %s%s", ErrPlan, field, wanted(field, wrong.GoType.Kind()), kinds[wrong.JSONKind], suffix(wrong.JSONValue))
}

func suffix(v jsontext.Value) string {
	if v == nil {
		return ""
	}
	return " " + string(v)
}

var kinds = map[jsontext.Kind]string{'n': "null", 't': "true", 'f': "false", '"': "a string", '0': "the number", '{': "an object", '[': "a list"}

// wanted says what belongs into a field.
func wanted(field string, kind reflect.Kind) string {
	switch {
	case field == "seed":
		return `a whole number from 0 in quotes, as "1949"`
	case kind == reflect.Uint64:
		return "a whole number from 0"
	case kind == reflect.Int || kind == reflect.Int64:
		return "a whole number"
	case kind == reflect.Float64:
		return "a number"
	case kind == reflect.Bool:
		return "true or false"
	case kind == reflect.Slice:
		return "a list"
	case kind == reflect.String:
		return "a string"
	}
	return "an object"
}

var listIndex = regexp.MustCompile(`\.(\d+)`)

// fieldOf writes a JSON pointer as errors do: generations[1].gate.games.
func fieldOf(p jsontext.Pointer) string {
	s := ""
	for token := range p.Tokens() {
		if s += "." + token; s == ".plan" {
			s = ""
		}
	}
	return listIndex.ReplaceAllString(s, "[$1]")[min(1, len(s)):]
}
