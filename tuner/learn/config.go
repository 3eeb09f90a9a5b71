package learn

import (
	"github.com/assay-chess/assay/engine/syzygy"
	"github.com/assay-chess/assay/selfplay"
)

// Config is everything that a run's result depends on, and how to carry it out.
type Config struct {
	selfplay.Place // where games are played: Out is the run's folder, Open opens assay with the weights of a file

	Program string // version of the program, for pedigrees
	Plan    Plan

	// StartID and OpponentID, if not empty, are what the ids of the plan's weights must be.
	StartID, OpponentID string

	Tables *syzygy.Judge // that end games, or nil

	// Stage, if not nil, is called when a stage begins; what it returns is called with
	// the progress of the stage, and at its end with a summary.
	Stage func(name string) StageProgress
}

// StageProgress receives the progress of a stage.
type StageProgress interface {
	Update(done, total int64, note string)
	Finish(summary string)
}
