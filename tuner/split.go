package tuner

import (
	"github.com/assay-chess/assay/tuner/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// split divides the rows by cluster into those trained on, those held out and, with a
// share of the games, those left out.
type split struct {
	clusters       *rows.Clusters
	held           []bool    // by cluster
	trained, valid int       // rows
	seen           []int64   // rows trained on, by term that occurs in them
	typical        []float64 // typical count by term
}

// newSplit splits the rows of the problem, and sets its weights.
func newSplit(p *objective.Problem, c *Config) split {
	s := split{clusters: p.Store.Clusters()}
	p.Omega, s.held = p.Store.Split(s.clusters, c.Valid, c.Seed)
	drop := s.clusters.Leave(s.held, c.Share, c.Seed)
	p.Held = make([]bool, len(s.clusters.Of))
	for g, c := range s.clusters.Of {
		p.Held[g] = s.held[c]
	}
	for i, c := range p.Store.Chunks {
		for j, g := range c.Game {
			switch {
			case p.Held[g]:
				s.valid++
			case drop != nil && drop[s.clusters.Of[g]]:
				p.Omega[i][j] = 0
			default:
				s.trained++
			}
		}
	}
	return s
}

// clustersHeld counts the clusters held out.
func (s *split) clustersHeld() (n int) {
	for _, h := range s.held {
		if h {
			n++
		}
	}
	return n
}

// clustersTrained counts the clusters with rows that are trained on.
func (s *split) clustersTrained(p *objective.Problem) (n int) {
	seen := make([]bool, s.clusters.N())
	for i, c := range p.Store.Chunks {
		for j, g := range c.Game {
			if k := s.clusters.Of[g]; p.Omega[i][j] > 0 && !seen[k] {
				seen[k] = true
				n++
			}
		}
	}
	return n
}
