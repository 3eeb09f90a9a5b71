package archive

import (
	"math/rand/v2"
	"testing"

	"github.com/assay-chess/assay/dataset"
)

// What assay tune pays for the line about Elo: the judgement of an archive of 400 fits of 20 engines.
func BenchmarkJudge(b *testing.B) {
	fits := world{engines: 20, fits: 20, games: 300, effect: 20, tau: 10, sigma: 10}.play(rand.New(rand.NewPCG(1, 1)))
	for b.Loop() {
		Judge(fits, dataset.TunedStart).Expect("other", fits[0].Measures)
	}
}
