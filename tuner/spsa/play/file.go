package play

import (
	"errors"
	"fmt"

	"github.com/assay-chess/assay/tuner/spsa"
)

// DefaultAhead is how many iterations of assay spsa are under way at once, if CONFIG has no other number.
const DefaultAhead = 4

// FileParameter is one of the values to be tuned, as a file has it.
type FileParameter struct {
	Name  string   `json:"name"`
	Type  string   `json:"type,omitempty"`
	Start *float64 `json:"start"`
	Min   *float64 `json:"min"`
	Max   *float64 `json:"max"`
	CEnd  float64  `json:"c_end,omitempty"`
	REnd  float64  `json:"r_end,omitempty"`
}

// Parameters returns the values that a run of that many pairs of games tunes, with the default c_end and
// r_end of those that have none. Errors name the parameter.
func Parameters(list []FileParameter, pairs int) ([]spsa.Parameter, error) {
	var all []spsa.Parameter
	for i := range list {
		p, err := list[i].parameter()
		if err != nil {
			return nil, fmt.Errorf("parameter %d, %q: %w", i+1, list[i].Name, err)
		}
		if p.REnd == 0 {
			p.REnd = spsa.DefaultREnd(pairs, len(list))
		}
		all = append(all, p)
	}
	return all, nil
}

func (p *FileParameter) parameter() (spsa.Parameter, error) {
	if p.Start == nil || p.Min == nil || p.Max == nil {
		return spsa.Parameter{}, errors.New("start, min and max are required")
	}
	q := spsa.Parameter{Name: p.Name, Start: *p.Start, Min: *p.Min, Max: *p.Max, CEnd: p.CEnd, REnd: p.REnd, Integer: true}
	switch p.Type {
	case "", "int":
	case "float":
		q.Integer = false
	default:
		return q, fmt.Errorf("type = %q: want int or float", p.Type)
	}
	if q.CEnd == 0 {
		q.CEnd = (q.Max - q.Min) / spsa.CEndsInRange
		if q.Integer {
			q.CEnd = max(q.CEnd, 0.5)
		}
	}
	return q, nil
}
