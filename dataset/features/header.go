package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/eval"
)

// ErrProtocol says that the engine's output does not follow the protocol.
var ErrProtocol = errors.New("the engine does not follow the features protocol")

// header is the first line of an engine's output. Pointers are nil for missing fields.
type header struct {
	Format  string       `json:"format"`
	Model   string       `json:"model"`
	Records string       `json:"records"` // "json", or left out
	Float   bool         `json:"float"`
	Unit    *float64     `json:"unit"`
	EGScale string       `json:"eg_scale"`
	BySide  bool         `json:"by_side"`
	Terms   []headerTerm `json:"terms"`
}

// headerTerm is a term of the header.
type headerTerm struct {
	Name  string   `json:"name"`
	Group string   `json:"group"`
	MG    *float64 `json:"mg"`
	EG    *float64 `json:"eg"`
	Value *float64 `json:"value"` // of a term that is not tapered
	Kind  string   `json:"kind"`
	Fixed bool     `json:"fixed"`
}

// parseHeader reads the engine's header line. The tolerance of the set is the default.
func parseHeader(line []byte) (*header, error) {
	var h header
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return nil, fmt.Errorf("%w: its header is %.80q, want a JSON object with format, model and terms: %w",
			ErrProtocol, line, err)
	}
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return &h, nil
}

func (h *header) check() error {
	switch {
	case h.Format != dataset.FeaturesFormat:
		return fmt.Errorf("its format is %.40q, want %q", h.Format, dataset.FeaturesFormat)
	case h.Records != "" && h.Records != "json":
		return fmt.Errorf(`its records are %.40q, want "json"`, h.Records)
	}
	if err := eval.CheckName(h.Model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	for _, t := range h.Terms {
		if t.Value != nil && (t.MG != nil || t.EG != nil || t.Kind == "") {
			return fmt.Errorf(`term %q: value stands for mg and eg of a term of kind "single", "flat", "mg" or "eg"`, t.Name)
		}
	}
	set := h.set()
	return set.Check()
}

func (h *header) set() dataset.FeatureSet {
	s := dataset.FeatureSet{Version: 2, Model: h.Model, Float: h.Float, Evaluation: dataset.Evaluation{
		Unit: valueOr(h.Unit, dataset.DefaultUnit), Tolerance: dataset.DefaultTolerance,
		EGScale: h.EGScale, BySide: h.BySide,
	}}
	for _, t := range h.Terms {
		x := dataset.FeatureTerm{Name: t.Name, Group: t.Group, MG: valueOr(t.MG, 0), EG: valueOr(t.EG, 0), Kind: t.Kind,
			Fixed: t.Fixed}
		if t.Value != nil && t.Kind != dataset.EndgameTerm {
			x.MG = *t.Value
		}
		if t.Value != nil && t.Kind != dataset.MiddlegameTerm {
			x.EG = *t.Value
		}
		s.Terms = append(s.Terms, x)
	}
	return s
}
