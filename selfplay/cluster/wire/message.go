// Package wire is what a coordinator and its workers have in common: messages and their
// subjects, keys and what they permit, signatures of engines, checksums and fingerprints of
// games, and the connection with a NATS server. It neither plays nor decides anything.
//
// Start reading at Unit and Answer.
package wire

import (
	"encoding/json"
	"time"

	"github.com/assay-chess/assay/selfplay"
)

// Protocol is the version of the messages below. A worker of another one is refused.
const Protocol = 3

// Hello is what a worker says when it comes, every few seconds while it is there, and
// when it leaves.
type Hello struct {
	Protocol int    `json:"protocol"`
	Program  string `json:"program"` // version and bench signature
	System   string `json:"system"`  // as linux/amd64
	Cores    int    `json:"cores"`   // units it plays at once

	Speed   float64  `json:"nodes_per_second,omitempty"` // of a core; 0: it did not have to know
	Replays []string `json:"checks,omitempty"`           // units that it was sent to check, and has not answered yet
	Units   []string `json:"units,omitempty"`            // units that it leased, and has not answered yet
	Leaving bool     `json:"leaving,omitempty"`
	Trouble string   `json:"trouble,omitempty"` // why it leaves, if not because it was told to
}

// Welcome is a coordinator's answer to a Hello.
type Welcome struct {
	Run     string        `json:"run"`
	Lease   time.Duration `json:"lease_ns"`          // of a unit, from its last sign of life
	Refused string        `json:"refused,omitempty"` // why the worker gets no units
}

// Unit is a job on its way to a worker. The players' specifications name weights by
// content.
type Unit struct {
	Protocol     int          `json:"protocol"`
	ID           string       `json:"unit"` // of the job: equal jobs have equal ids
	Job          selfplay.Job `json:"job"`
	Fingerprints [2]string    `json:"proofs,omitzero"` // of White's and Black's player, by Audition; empty: none is asked for
	Programs     [2]Program   `json:"programs,omitzero"`
	Speed        float64      `json:"nodes_per_second,omitempty"` // of a core for which its clocks are meant; 0: they are not scaled
	Replay       bool         `json:"check,omitempty"`            // sent to one worker, who plays again what another played
}

// Program is what a worker's owner must have allowed before it is run: a foreign engine,
// by the name of its file and its content.
type Program struct {
	Name   string `json:"name,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// Answer is what a worker made of a unit.
type Answer struct {
	Unit   string          `json:"unit"`
	Replay bool            `json:"check,omitempty"`
	Sum    string          `json:"sum,omitempty"` // of the result, by Checksum
	Result json.RawMessage `json:"result,omitempty"`
	Failed string          `json:"failed,omitempty"` // why it could not be played at all
}

// Reply is what the coordinator says to an answer.
type Reply struct {
	Kept    bool   `json:"kept,omitempty"`    // it is on disk, or not wanted any more: the unit is done with
	Again   string `json:"again,omitempty"`   // why it has to be sent again
	Refused string `json:"refused,omitempty"` // why this worker gets no more units
}

// byContent begins the name of weights that are known by the SHA-256 of their file.
const WeightsPrefix = "sha256-"
