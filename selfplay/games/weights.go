package games

import (
	"fmt"
	"strings"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/models"
)

// StartFile returns the weights that learning begins with as a weight file.
func (g *Game) StartFile() *models.File {
	f := &models.File{Model: g.Name, K: models.DefaultK}
	for i, t := range g.Terms {
		f.Terms = append(f.Terms, models.TermWeight{Name: t.Name, MG: t.Start, EG: t.Start})
		group, _, _ := strings.Cut(t.Name, ".")
		f.Foreign = append(f.Foreign, eval.Term{Name: t.Name, Group: group, Mirror: i})
	}
	return f
}

// Weights returns the weights of a file in the order of the game's terms.
func (g *Game) Weights(f *models.File) ([]int32, error) {
	if f.Model != g.Name {
		return nil, fmt.Errorf("games: the weights %s are of %s, not of %s", f.ID(), f.Model, g.Name)
	}
	if len(f.Terms) != len(g.Terms) {
		return nil, fmt.Errorf("games: the weights %s have %d terms, %s has %d: learn them again", f.ID(), len(f.Terms), g.Name, len(g.Terms))
	}
	w := make([]int32, len(g.Terms))
	for i, t := range g.Terms {
		if f.Terms[i].Name != t.Name {
			return nil, fmt.Errorf("games: term %d of the weights %s is %s, of %s it is %s: learn them again", i, f.ID(), f.Terms[i].Name, g.Name, t.Name)
		}
		w[i] = f.Terms[i].MG
	}
	return w, nil
}
