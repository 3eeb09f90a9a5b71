// Package wire is what a coordinator and its workers share: messages and their subjects, keys
// and what they permit, checksums and fingerprints of games, and the
// connection to a NATS server. It makes no decisions.
//
// No promise of stability. Start reading at Unit and Answer.
package wire

import (
	"encoding/json"
	"time"

	"github.com/assay-chess/assay/selfplay"
)

// Protocol is the version of the messages below. A coordinator refuses workers of another
// version.
const Protocol = 7

// Hello is what a worker sends when it arrives, every HelloEvery while it is there, and when
// it leaves.
type Hello struct {
	Protocol int    `json:"protocol"`
	Program  string `json:"program"`       // version and bench signature
	System   string `json:"system"`        // for example linux/amd64/v1
	Cores    int    `json:"cores"`         // units it plays at once
	Run      string `json:"run,omitempty"` // that it plays for; empty: none yet

	Speed   float64  `json:"nodes_per_second,omitempty"` // of one core; 0: not measured, no game had a clock
	Replays []string `json:"replays,omitempty"`          // ids of replays that it was sent and has not answered
	Units   []string `json:"units,omitempty"`            // ids of units that it was sent and has not answered
	Leaving bool     `json:"leaving,omitempty"`
	Trouble string   `json:"trouble,omitempty"` // why it leaves, if something is wrong
}

// Welcome is the coordinator's answer to a Hello.
type Welcome struct {
	Run     string        `json:"run"`
	Lease   time.Duration `json:"lease_ns"`          // how long the worker may be silent
	Refused string        `json:"refused,omitempty"` // why the worker gets no units
}

// Unit is a job on its way to a worker. Its players' specifications name weights by content.
type Unit struct {
	ID           string       `json:"unit"` // digest of the job: equal jobs have equal ids
	Job          selfplay.Job `json:"job"`
	Fingerprints [2]string    `json:"fingerprints,omitzero"` // of White's and Black's player; empty: not asked for
	Programs     [2]Program   `json:"programs,omitzero"`     // of foreign engines
	// of a core for which the clocks are meant; 0: they are not scaled
	Speed  float64 `json:"nodes_per_second,omitempty"`
	Replay bool    `json:"replay,omitempty"` // another worker played it, this one plays it again
}

// Answer is a worker's result of a unit.
type Answer struct {
	Unit   string          `json:"unit"`
	Replay bool            `json:"replay,omitempty"`
	Sum    string          `json:"sum,omitempty"` // Checksum of the result
	Result json.RawMessage `json:"result,omitempty"`
	Failed string          `json:"failed,omitempty"` // why the unit could not be played

	// Returned says why the worker gives the unit back through no fault of its own or of the
	// unit's: it did not get the weights.
	Returned string `json:"returned,omitempty"`
}

// WeightsRequest asks a coordinator for a part of a weight file.
type WeightsRequest struct {
	Name   string `json:"name"`   // WeightsPrefix and the SHA-256 of the file
	Offset int    `json:"offset"` // in bytes
}

// WeightsPart is the coordinator's reply to a WeightsRequest.
type WeightsPart struct {
	Size int    `json:"size"` // of the file, in bytes; 0: the coordinator does not have it
	Data []byte `json:"data"` // from the offset, at most MaxWeightsPart
}

// MaxWeightsPart bounds the data in a WeightsPart, in bytes, so that it fits into a message.
const MaxWeightsPart = 1 << 18

// MaxWeights bounds a weight file, in bytes.
const MaxWeights = 1 << 28

// Reply is the coordinator's reply to an Answer.
type Reply struct {
	Kept    bool   `json:"kept,omitempty"`    // the answer is on disk, or no longer needed: the unit is done
	Again   string `json:"again,omitempty"`   // why the worker has to send the answer again
	Refused string `json:"refused,omitempty"` // why this worker gets no more units
}

// WeightsPrefix begins the name of weights that are named by the SHA-256 of their file.
const WeightsPrefix = "sha256-"
