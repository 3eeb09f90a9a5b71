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
	Records string       `json:"records"`
	Float   bool         `json:"float,omitempty"`
	Terms   []headerTerm `json:"terms"`

	// From version 2 on.
	Unit     *float64 `json:"unit,omitempty"`
	EGScale  string   `json:"eg_scale,omitempty"`
	BySide   bool     `json:"by_side,omitempty"`
	Halves   bool     `json:"halves,omitempty"`
	Resolves bool     `json:"resolves,omitempty"`

	// Reserved for evaluations that are not linear.
	Channels []channel         `json:"channels,omitempty"`
	Columns  []json.RawMessage `json:"columns,omitempty"`
	Formula  json.RawMessage   `json:"formula,omitempty"`
}

// headerTerm is a term of the header.
type headerTerm struct {
	Name       string   `json:"name"`
	Group      string   `json:"group,omitempty"`
	MG         *float64 `json:"mg,omitempty"`
	EG         *float64 `json:"eg,omitempty"`
	Value      *float64 `json:"value,omitempty"` // of a term that is not tapered
	Kind       string   `json:"kind,omitempty"`
	Asymmetric bool     `json:"asymmetric,omitempty"`
	Fixed      bool     `json:"fixed,omitempty"`
}

// channel is a linear sum that a formula would take.
type channel struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// Values of header.Records.
const (
	recordsJSON   = "json"
	recordsBinary = "binary"
)

// parseHeader reads the engine's header line. The tolerance of the set is the default.
func parseHeader(line []byte) (*header, error) {
	var h header
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return nil, fmt.Errorf("%w: its header is %.80q, want a JSON object with format, model, records and terms: %w", ErrProtocol, line, err)
	}
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return &h, nil
}

func (h *header) check() error {
	switch {
	case !dataset.IsFeatures(h.Format):
		return fmt.Errorf("its format is %.40q, want %q", h.Format, dataset.FeaturesFormat)
	case h.Records != recordsJSON && h.Records != recordsBinary:
		return fmt.Errorf("its records are %.40q, want %q or %q", h.Records, recordsJSON, recordsBinary)
	case h.version() == 1 && (h.Unit != nil || h.EGScale != "" || h.BySide || h.Halves || h.Resolves):
		return fmt.Errorf("unit, eg_scale, by_side, halves and resolves need the format %q", dataset.FeaturesFormat)
	}
	if err := h.checkReserved(); err != nil {
		return err
	}
	if err := eval.CheckName(h.Model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	for _, t := range h.Terms {
		if h.version() == 1 && t.Value != nil {
			return fmt.Errorf("term %q: value needs the format %q", t.Name, dataset.FeaturesFormat)
		}
		if t.Value != nil && (t.MG != nil || t.EG != nil || t.Kind == "") {
			return fmt.Errorf(`term %q: value stands for mg and eg of a term of kind "single", "flat", "mg" or "eg"`, t.Name)
		}
	}
	set := h.set()
	return set.Check()
}

// checkReserved refuses what evaluations that are not linear will need.
func (h *header) checkReserved() error {
	for i, c := range h.Channels {
		if i > 0 || c.Kind != "tapered" {
			return fmt.Errorf(`channel %q of kind %q: this version reads one channel of kind "tapered", and no others`, c.Name, c.Kind)
		}
	}
	if len(h.Columns) > 0 {
		return fmt.Errorf("columns: %.60s: this version reads none", h.Columns[0])
	}
	if len(h.Formula) > 0 && string(h.Formula) != "null" {
		return fmt.Errorf("formula %.60s: this version reads linear evaluations only", h.Formula)
	}
	return nil
}

func (h *header) version() int {
	if h.Format == dataset.FeaturesFormat1 {
		return 1
	}
	return 2
}

func (h *header) set() dataset.FeatureSet {
	s := dataset.FeatureSet{Version: h.version(), Model: h.Model, Float: h.Float}
	for _, t := range h.Terms {
		x := dataset.FeatureTerm{Name: t.Name, Group: t.Group, MG: valueOf(t.MG), EG: valueOf(t.EG), Kind: t.Kind, Asymmetric: t.Asymmetric, Fixed: t.Fixed}
		if t.Value != nil && t.Kind != dataset.EndgameTerm {
			x.MG = *t.Value
		}
		if t.Value != nil && t.Kind != dataset.MiddlegameTerm {
			x.EG = *t.Value
		}
		s.Terms = append(s.Terms, x)
	}
	if s.Version > 1 {
		s.Evaluation = dataset.Evaluation{Unit: dataset.DefaultUnit, Tolerance: dataset.DefaultTolerance, EGScale: h.EGScale, BySide: h.BySide, Resolves: h.Resolves}
		if h.Unit != nil {
			s.Unit = *h.Unit
		}
	}
	return s
}

// valueOf returns what v points to, or 0.
func valueOf[T any](v *T) (zero T) {
	if v == nil {
		return zero
	}
	return *v
}
