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

// header is the first line of an engine's output.
type header struct {
	Format  string                `json:"format"`
	Model   string                `json:"model"`
	Records string                `json:"records"`
	Float   bool                  `json:"float"`
	Terms   []dataset.FeatureTerm `json:"terms"`
}

// Values of header.Records.
const (
	recordsJSON   = "json"
	recordsBinary = "binary"
)

// parseHeader reads the engine's first line.
func parseHeader(line []byte) (*header, error) {
	var h header
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return nil, fmt.Errorf("%w: its first line is %.80q, want a JSON object with format, model, records and terms: %w", ErrProtocol, line, err)
	}
	switch {
	case h.Format != dataset.FeaturesFormat:
		return nil, fmt.Errorf("%w: its format is %.40q, want %q", ErrProtocol, h.Format, dataset.FeaturesFormat)
	case h.Records != recordsJSON && h.Records != recordsBinary:
		return nil, fmt.Errorf("%w: its records are %.40q, want %q or %q", ErrProtocol, h.Records, recordsJSON, recordsBinary)
	}
	if err := eval.CheckName(h.Model); err != nil {
		return nil, fmt.Errorf("%w: model: %w", ErrProtocol, err)
	}
	set := h.set()
	if err := set.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return &h, nil
}

func (h *header) set() dataset.FeatureSet {
	return dataset.FeatureSet{Model: h.Model, Terms: h.Terms, Float: h.Float}
}
