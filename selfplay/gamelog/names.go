package gamelog

import (
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay"
)

// Players returns the names and identities of the players for the folder of a run.
func Players(list ...selfplay.Player) (players []durable.RunPlayer) {
	for _, e := range list {
		players = append(players, durable.RunPlayer{Name: e.Label(), ID: e.Identity(), Spec: e.Spec.String()})
	}
	return players
}

// NameOf returns the name for people of the run's player with the specification, or that if there
// is none.
func NameOf(players []durable.RunPlayer, spec string) string {
	for _, p := range players {
		if p.Spec == spec {
			return p.Name
		}
	}
	return spec
}

// keepNames shows the players by the names with which the run began, whatever names they
// have when it is resumed: its files have the same bytes then.
func keepNames(run *durable.Run, players ...*selfplay.Player) {
	began := run.Info().Players
	if len(began) != len(players) {
		return // a run of an earlier version
	}
	for i, p := range players {
		p.Name = began[i].Name
	}
}
