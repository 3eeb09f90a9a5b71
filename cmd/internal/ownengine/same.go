package ownengine

import (
	"errors"
	"fmt"

	"github.com/assay-chess/assay/tuner/slopes"
)

// sameBench compares the engine's bench with the bench of its copy with settable numbers. An engine
// whose own bench does not repeat itself has nothing to compare.
func (k *workshop) sameBench() (said string, err error) {
	if err := k.sane(); err != nil {
		return "", err
	}
	first, err := k.builds[BaseTag].Bench(k.ctx)
	if err != nil {
		return "", err
	}
	again, err := k.builds[BaseTag].BenchAgain(k.ctx)
	if err != nil {
		return "", err
	}
	if first.Nodes == 0 || first.Nodes != again.Nodes {
		return "the engine has no bench that repeats itself to compare", nil
	}
	copied, err := k.builds[settingTag].Bench(k.ctx)
	if err != nil {
		return "", err
	}
	if copied.Nodes != first.Nodes {
		return "", fmt.Errorf("with settable numbers the engine searches %d nodes in its bench, not %d: a number is "+
			"used before it is set, or in a way that its kind decides; leave tables out with skip in assay.toml until they "+
			"agree", copied.Nodes, first.Nodes)
	}
	return fmt.Sprintf("with settable numbers the bench is the same, %d nodes", copied.Nodes), nil
}

// oneSided are positions in which White and Black in turn have a queen more, with either side to move.
var oneSided = []string{
	"rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1",
}

// sane returns an error if the values cannot be of the positions. Those from the view of the side to move are left to
// slopes.Check.
func (k *workshop) sane() error {
	v, err := k.values(slopes.Command{Path: k.builds[settingTag].Path}, oneSided)
	switch {
	case err != nil:
		return err
	case v[0] < 0 && v[1] < 0 && v[2] > 0 && v[3] > 0:
		return errors.New("assay_value is from Black's view, and must be from White's: turn its sign")
	case v[0] > 0 && v[2] < 0 && v[1]*v[3] < 0:
		return nil
	}
	return fmt.Errorf("with a queen more assay_value says %v and %v, with one less %v and %v: does "+
		"assay_position read the FEN, and assay_value evaluate that board?", v[0], v[1], v[2], v[3])
}
