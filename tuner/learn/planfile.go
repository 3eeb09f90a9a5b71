package learn

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/assay-chess/assay/models"
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
// and opponent are those of WithDefaults, hash_mb is 1; keep is 3, decay 0.5, prior
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

// hasPlan matches a config.json, in which the plan is a field.
var hasPlan = regexp.MustCompile(`"plan"\s*:`)

func parsePlan(data []byte) (*RunConfig, error) {
	c := &RunConfig{Plan: Plan{Hash: 1}}
	var to any = c
	if !hasPlan.Match(data) {
		to = &c.Plan
	}
	err := models.UnmarshalStrict(data, to, json.WithUnmarshalers(json.UnmarshalFromFunc(unmarshalGeneration)))
	var wrong *models.JSONError
	if errors.As(err, &wrong) {
		wrong.Pointer = jsontext.Pointer(strings.TrimPrefix(string(wrong.Pointer), "/plan"))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlan, err)
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
