package report

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/durable"
)

// galleryBytes is how many bytes of games a page holds at most, in all galleries together.
const galleryBytes = 2 << 20

// gallerySource says where the games of a gallery are from.
type gallerySource struct {
	Label string `json:"label"`
	Dir   string `json:"dir"` // in the run's folder
}

// gallery holds games that can be replayed on the page: all of them, or, if these are too
// many, every second, fourth, eighth ... by number.
type gallery struct {
	gallerySource
	Total   int64         `json:"total"`
	Players []string      `json:"players"`
	Games   []galleryGame `json:"games"`

	room, used int
	step       uint64
	names      map[string]int
	shown      map[string]string // names for people, by names in data
}

// galleryGame is a game as the page's script reads it.
type galleryGame struct {
	Number      uint64 `json:"n"`
	White       int    `json:"w"` // in Players
	Black       int    `json:"b"`
	Result      int8   `json:"r"`
	Termination string `json:"t"`
	Start       string `json:"f,omitempty"` // FEN
	Opening     uint16 `json:"o"`           // plies
	Moves       string `json:"m"`           // base64 of little-endian 16-bit moves
	Scores      string `json:"s"`           // base64 of little-endian 16-bit scores
	SAN         string `json:"a"`           // moves in standard algebraic notation, separated by spaces
}

// newGallery returns a gallery of the games in dir, without any yet; rel is dir in the run's.
func newGallery(label, dir, rel string, room int) *gallery {
	return &gallery{gallerySource: gallerySource{label, rel}, room: room, step: 1, names: map[string]int{},
		shown: shownNames(dir), Players: []string{}, Games: []galleryGame{}}
}

// shownNames returns the names of a run's players for people, by their names in data.
func shownNames(dir string) map[string]string {
	info, err := durable.ReadRunInfo(dir)
	if err != nil {
		return nil
	}
	names := map[string]string{}
	for _, p := range info.Players {
		names[p.ID], names[p.Spec] = p.Name, p.Name // the journal has the specification
	}
	return names
}

// offer adds a game, if there is room for it.
func (v *gallery) offer(number uint64, g *dataset.GameRow) {
	v.Total++
	if number%v.step != 0 {
		return
	}
	x, err := v.game(number, g)
	if err != nil {
		return // cannot happen: the readers check that games can be replayed
	}
	v.Games = append(v.Games, x)
	v.used += x.size()
	for v.used > v.room && len(v.Games) > 1 {
		v.thin()
	}
}

func (v *gallery) thin() {
	v.step *= 2
	if v.step == 0 {
		v.step = 1 << (bits.UintSize - 1)
	}
	v.Games = slices.DeleteFunc(v.Games, func(g galleryGame) bool { return g.Number%v.step != 0 && len(v.Games) > 1 })
	v.used = 0
	for i := range v.Games {
		v.used += v.Games[i].size()
	}
}

func (g *galleryGame) size() int {
	return 120 + len(g.Start) + len(g.Moves) + len(g.Scores) + len(g.SAN) + len(g.Termination)
}

func (v *gallery) game(number uint64, g *dataset.GameRow) (galleryGame, error) {
	moves, err := san(g)
	if err != nil {
		return galleryGame{}, err
	}
	m, s := make([]byte, 0, 2*len(g.Moves)), make([]byte, 0, 2*len(g.Moves))
	for i, move := range g.Moves {
		m = binary.LittleEndian.AppendUint16(m, uint16(move))
		s = binary.LittleEndian.AppendUint16(s, uint16(g.Scores[i]))
	}
	enc := base64.StdEncoding
	return galleryGame{Number: number, White: v.name(g.White), Black: v.name(g.Black), Result: g.Result,
		Termination: g.Termination, Start: g.Start, Opening: g.OpeningPlies,
		Moves: enc.EncodeToString(m), Scores: enc.EncodeToString(s), SAN: strings.Join(moves, " ")}, nil
}

func (v *gallery) name(s string) int {
	s = cmp.Or(v.shown[s], s)
	i, seen := v.names[s]
	if !seen {
		const maxName = 1000 // characters of a name that a page shows
		i = len(v.Players)
		v.names[s] = i
		v.Players = append(v.Players, shorten(s, maxName))
	}
	return i
}
