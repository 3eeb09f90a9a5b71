package features

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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

	// Of an evaluation that is not linear.
	dataset.Bend
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
	Channel    string   `json:"channel,omitempty"`
	Step       float64  `json:"step,omitempty"`
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
		return nil, fmt.Errorf("%w: its header is %.80q, want a JSON object with format, model, records and terms: %w",
			ErrProtocol, line, err)
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
	if err := h.checkBend(); err != nil {
		return err
	}
	if err := eval.CheckName(h.Model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	for _, t := range h.Terms {
		if h.version() == 1 && t.Value != nil {
			return fmt.Errorf("term %q: value needs the format %q", t.Name, dataset.FeaturesFormat)
		}
		if t.Value != nil && (t.MG != nil || t.EG != nil || t.Kind == "" && !h.Bent()) {
			return fmt.Errorf(`term %q: value stands for mg and eg of a term of kind "single", "flat", "mg" or "eg", `+
				"and of a term of a plain channel", t.Name)
		}
	}
	set := h.set()
	if err := set.Check(); err != nil || !h.Bent() {
		return err
	}
	p, err := set.Program()
	if err == nil && len(p.Formula.Unused) > 0 {
		err = fmt.Errorf("the formula does not use %s", strings.Join(p.Formula.Unused, ", "))
	}
	return err
}

// checkBend refuses channels and columns that no formula uses. A linear evaluation is one
// tapered channel, and may say so.
func (h *header) checkBend() error {
	switch {
	case h.Bent() && h.Halves && !h.hasTapered():
		return errors.New("halves are the sums of the first tapered channel, and none is: leave them out")
	case h.Bent() && h.version() == 1:
		return fmt.Errorf("a formula needs the format %q", dataset.FeaturesFormat)
	case h.Bent():
		return nil
	case len(h.Columns) > 0:
		return fmt.Errorf("column %q: columns need a formula", h.Columns[0].Name)
	case len(h.Channels) > 1 || len(h.Channels) == 1 && (h.Channels[0].Kind != dataset.TaperedChannel ||
		h.Channels[0].Sides):
		c := h.Channels[len(h.Channels)-1]
		return fmt.Errorf("channel %q of kind %q: all channels but one that is tapered need a formula", c.Name, c.Kind)
	}
	return nil
}

// hasTapered reports whether a channel has the two halves that records may have.
func (h *header) hasTapered() bool {
	return slices.ContainsFunc(h.Channels, func(c dataset.Channel) bool { return c.Kind == dataset.TaperedChannel })
}

// bySides reports whether records count each side on its own.
func (h *header) bySides() bool { return h.BySide || h.Bent() && h.BySides() }

func (h *header) version() int {
	if h.Format == dataset.FeaturesFormat1 {
		return 1
	}
	return 2
}

func (h *header) set() dataset.FeatureSet {
	s := dataset.FeatureSet{Version: h.version(), Model: h.Model, Float: h.Float}
	for _, t := range h.Terms {
		x := dataset.FeatureTerm{Name: t.Name, Group: t.Group, MG: valueOf(t.MG), EG: valueOf(t.EG), Kind: t.Kind,
			Asymmetric: t.Asymmetric, Fixed: t.Fixed, Channel: t.Channel, Step: t.Step}
		if t.Value != nil && t.Kind != dataset.EndgameTerm {
			x.MG = *t.Value
		}
		if t.Value != nil && t.Kind != dataset.MiddlegameTerm {
			x.EG = *t.Value
		}
		s.Terms = append(s.Terms, x)
	}
	if h.Bent() {
		s.Bend = h.Bend
	}
	if s.Version > 1 {
		s.Evaluation = dataset.Evaluation{Unit: dataset.DefaultUnit, Tolerance: dataset.DefaultTolerance,
			EGScale: h.EGScale, BySide: h.BySide, Resolves: h.Resolves}
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
