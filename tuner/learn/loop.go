package learn

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
)

// Learner is what a loop needs of the programs that it makes stronger. The models of assay are one, and
// cmd/assay has an author's engine. Whatever a learner makes is in the run's folder, and what an earlier call
// made it takes.
type Learner interface {
	// Propose plays the games of a generation, from 1, with the champion, and returns the weights that these and
	// earlier games teach: the champion's if they teach nothing. They are in the generation's Folder. ErrEnough ends
	// the loop before the generation.
	Propose(ctx context.Context, generation int, champion *Weights) (*Weights, error)
	// Gate lets new weights play against the champion's until a sequential test decides. It returns the result and
	// whose it is: the proposed weights, or others nearer to the champion's that played after them. A learner may leave
	// out the games of equal weights; the result is nil then.
	Gate(ctx context.Context, generation int, proposed, champion *Weights) (*match.Result, *Weights, error)
	// Decided keeps what became of a generation.
	Decided(generation int, d Decision) error
}

// ErrEnough is what Propose returns instead of a generation that is not worth its games.
var ErrEnough = errors.New("no further generation")

// Weights play in a loop: it began with them, or a generation found them.
type Weights struct {
	WeightsRef
	Values *models.File
	Terms  []tuner.TermFit // against the start weights; nil for these themselves
}

// Decision says whether the weights of a generation became champion, and why.
type Decision struct {
	Gate     *match.Result `json:"gate"` // score of the new weights against the champion's; null: not played
	Promoted bool          `json:"promoted"`
	Reason   string        `json:"reason"` // in words
}

// Loop carries out that many generations, and returns the champion after them and the last weights that were
// proposed.
func Loop(ctx context.Context, run *durable.Run, l Learner, generations int, start *Weights) (champion, last *Weights,
	err error) {
	champion = start
	for g := 1; g <= generations; g++ {
		next, err := turn(ctx, run, l, g, &last, champion)
		if errors.Is(err, ErrEnough) {
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf("generation %d: %w", g, err)
		}
		champion = next
	}
	return champion, last, nil
}

// turn carries out a generation, and returns the champion after it.
func turn(ctx context.Context, run *durable.Run, l Learner, g int, last **Weights, champion *Weights) (*Weights,
	error) {
	proposed, err := l.Propose(ctx, g, champion)
	if err != nil {
		return nil, err
	}
	gate, proposed, err := l.Gate(ctx, g, proposed, champion)
	if err != nil {
		return nil, err
	}
	*last = proposed
	d := decide(gate, proposed.ID == champion.ID)
	if d.Promoted {
		champion = proposed
	}
	if err := l.Decided(g, d); err != nil {
		return nil, err
	}
	return champion, run.Event("decision", map[string]any{"generation": g, "promoted": d.Promoted, "reason": d.Reason,
		"champion": champion.ID})
}

// decide says whether new weights become champion; same, that they are the champion's. An undecided gate keeps the
// games and not the weights.
func decide(gate *match.Result, same bool) Decision {
	d := Decision{Gate: gate}
	switch {
	case same:
		d.Reason = "the fit changed nothing"
	case gate.Passed():
		d.Promoted, d.Reason = true, fmt.Sprintf("the gate was passed after %d games", gate.Games)
	case gate.Verdict == match.AcceptH0:
		d.Reason = fmt.Sprintf("the gate was failed after %d games; the games are kept, the weights are not", gate.Games)
	default:
		d.Reason = fmt.Sprintf("the gate was undecided after %d games; the games are kept, the weights are not", gate.Games)
	}
	return d
}

// weightsName is the file of a generation's weights in its folder.
const weightsName = "weights.json"

// Folder returns the folder of a generation within the run's.
func Folder(generation int) string { return fmt.Sprintf("gen-%d", generation) }
