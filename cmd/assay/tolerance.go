package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/assay-chess/assay/selfplay"
)

// toleranceFlags say how many games may fail before there is no verdict.
type toleranceFlags struct {
	maxForfeits float64
	recover     bool
}

func (f *toleranceFlags) register(fs *pflag.FlagSet) {
	fs.Float64Var(&f.maxForfeits, "max-forfeits", selfplay.DefaultMaxForfeits, "share of its games that a player may forfeit; no verdict if it forfeits more, by a test at level 0.001")
	fs.BoolVar(&f.recover, "recover", false, "count forfeits as losses, however many there are")
}

func (f *toleranceFlags) parse() (selfplay.Tolerance, error) {
	if !(f.maxForfeits >= 0 && f.maxForfeits <= 1) { // NaN too
		return selfplay.Tolerance{}, usagef("--max-forfeits %v: want a share from 0 to 1, such as 0.02", f.maxForfeits)
	}
	t := selfplay.Tolerance{MaxForfeits: f.maxForfeits, Recover: f.recover}
	if t.MaxForfeits == 0 {
		t.MaxForfeits = -1 // none
	}
	return t, nil
}

// verdictAdvice adds to an error about players or games that failed what the user can do.
func verdictAdvice(err error, out string) error {
	switch {
	case errors.Is(err, selfplay.ErrPreflight):
		return fmt.Errorf("%w; no game was played: is it a UCI engine? does it need a longer --start-timeout?", err)
	case errors.Is(err, selfplay.ErrNoVerdict) && out == "":
		return fmt.Errorf("%w; correct what fails and play again", err)
	case errors.Is(err, selfplay.ErrNoVerdict):
		return fmt.Errorf("%w; the games are kept in %s. Correct what fails and play in another folder, or resume this run with --recover (forfeits are losses) or a larger --max-forfeits", err, out)
	}
	return err
}
