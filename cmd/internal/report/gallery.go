package report

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
)

// galleryBytes is how many bytes of games a page holds at most, in all galleries together.
const galleryBytes = 2 << 20

// gallery holds games that can be replayed on the page: all of them, or, if these are too
// many, every second, fourth, eighth ... by number.
type gallery struct {
	Label   string        `json:"label"`
	Dir     string        `json:"dir"` // in the run's folder
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
	v := &gallery{Label: label, Dir: rel, room: room, step: 1, names: map[string]int{}, shown: map[string]string{},
		Players: []string{}, Games: []galleryGame{}}
	info, _ := durable.ReadRunInfo(dir) // without it players have the names in data
	for _, p := range info.Players {
		v.shown[p.ID], v.shown[p.Spec] = p.Name, p.Name // the journal has the specification
	}
	return v
}

// offer adds a game, if there is room for it.
func (v *gallery) offer(number uint64, g *dataset.GameRow) {
	v.Total++
	if number%v.step != 0 {
		return
	}
	x := v.game(number, g)
	v.Games = append(v.Games, x)
	v.used += x.size()
	for v.used > v.room && len(v.Games) > 1 && v.step < 1<<63 {
		v.thin()
	}
}

func (v *gallery) thin() {
	v.step *= 2
	v.Games = slices.DeleteFunc(v.Games, func(g galleryGame) bool { return g.Number%v.step != 0 && len(v.Games) > 1 })
	v.used = 0
	for i := range v.Games {
		v.used += v.Games[i].size()
	}
}

func (g *galleryGame) size() int {
	return 120 + len(g.Start) + len(g.Moves) + len(g.Scores) + len(g.SAN) + len(g.Termination)
}

// game returns a game that the readers have replayed.
func (v *gallery) game(number uint64, g *dataset.GameRow) galleryGame {
	var m, s []byte
	var moves []string
	for i, game := range g.Replay() {
		if i == len(g.Moves) {
			break
		}
		m = binary.LittleEndian.AppendUint16(m, uint16(g.Moves[i]))
		s = binary.LittleEndian.AppendUint16(s, uint16(g.Scores[i]))
		moves = append(moves, game.Position().SAN(g.Moves[i]))
	}
	enc := base64.StdEncoding
	return galleryGame{Number: number, White: v.name(g.White), Black: v.name(g.Black), Result: g.Result,
		Termination: g.Termination, Start: g.Start, Opening: g.OpeningPlies,
		Moves: enc.EncodeToString(m), Scores: enc.EncodeToString(s), SAN: strings.Join(moves, " ")}
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

// tally is what a page shows of the games of one folder.
type tally struct {
	*arrange.Tally
	folder string
	viewer *gallery
}

// add counts a game.
func (t *tally) add(number uint64, g *dataset.GameRow) {
	t.Tally.Add(number, g)
	t.viewer.offer(number, g)
}

func counts[N ~int | ~int64](list []N) (values []float64) {
	for _, n := range list {
		values = append(values, float64(n))
	}
	return values
}

// figures draws the statistics of the games.
func (t *tally) figures(name string) []figure {
	names := slices.SortedFunc(maps.Keys(t.Terminations), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.Terminations[b], t.Terminations[a]), cmp.Compare(a, b))
	})
	var ends, phases []float64
	for _, n := range names {
		ends = append(ends, float64(t.Terminations[n]))
	}
	var lengths, numbers []string
	for i := range t.Lengths {
		lengths = append(lengths, fmt.Sprint(10*i))
	}
	for i := range t.Phases {
		numbers, phases = append(numbers, fmt.Sprint(24-i)), append(phases, float64(t.Phases[24-i]))
	}
	return []figure{
		bars(figure{Title: "Results: " + name}, "games", []string{"White won", "drawn", "Black won"},
			counts([]int64{t.White, t.Draw, t.Lost})),
		bars(figure{Title: "How games ended: " + name}, "games", names, ends),
		bars(figure{Title: "Lengths of games in plies: " + name,
			Note: "Each bar covers ten plies, beginning with the number below it."}, "games", lengths, counts(t.Lengths[:])),
		bars(figure{Title: "Phases of positions: " + name,
			Note: "24 is the middlegame with all pieces; 0 is pawns and kings only."}, "positions", numbers, phases),
	}
}

// summary lists the statistics of the games in words.
func (t *tally) summary() ui.Table {
	different, most, effective := t.Openings()
	share, rate := t.RepeatedPositions()
	repeated := percent(share, 1) + " of the searched positions" +
		ui.If(rate > 1, " (of a sample by key, one in %d)", rate)
	var rows ui.Table
	rows.Add("games\t%d", t.Games)
	rows.Add("plies searched\t%d", t.Plies)
	rows.Add("White's score\t%s", percent(float64(t.White)+float64(t.Draw)/2, float64(t.Games)))
	rows.Add("drawn\t%s", percent(float64(t.Draw), float64(t.Games)))
	rows.Add("openings\t%d different; the most common one in %d games; as diverse as %.0f equally common ones", different,
		most, effective)
	rows.Add("games equal to an earlier game\t%d", t.Repeated)
	rows.Add("repeated positions\t%s", repeated)
	return rows
}

// workers adds the section about the workers, as the run's coordinator last wrote them, if it ever had one. A list that
// cannot be read is shown as such, and is no error: no result depends on it.
func (b *builder) workers() {
	path, list := filepath.Join(b.dir, coordinator.DirName, coordinator.WorkersName), new(coordinator.Snapshot)
	err := durable.ReadJSON(path, list)
	if err == nil && list.Format != coordinator.SnapshotFormat {
		err = fmt.Errorf("%s: format %q, want %s", path, list.Format, coordinator.SnapshotFormat)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		b.add("workers", "Workers", []doc.Part{{Text: []string{fmt.Sprintf("The list of workers cannot be read: %v.", err)}}})
	default:
		running := b.report.Status.State == durable.Running
		b.add("workers", "Workers", []doc.Part{describeWorkers(list, running)})
	}
}

// describeWorkers describes the workers of a run, those at work first. If no process has the run open, they are gone.
func describeWorkers(list *coordinator.Snapshot, running bool) doc.Part {
	for i := range list.Workers {
		if w := &list.Workers[i]; !running && w.State == coordinator.Working {
			w.State = coordinator.Gone
		}
	}
	order := []coordinator.State{coordinator.Working, coordinator.Refused, coordinator.Gone}
	slices.SortStableFunc(list.Workers, func(a, b coordinator.WorkerStatus) int {
		return cmp.Or(slices.Index(order, a.State)-slices.Index(order, b.State), cmp.Compare(a.Name, b.Name))
	})
	t := ui.Table{Head: []string{"worker", "state", ">units", ">share", ">last seen", ">failures", ">replays", ">cores",
		">nodes/s", "version"}}
	present, cores, units := 0, 0, int64(0)
	for _, w := range list.Workers {
		units += w.Units
	}
	for _, w := range list.Workers {
		if w.State == coordinator.Working {
			present++
			cores += w.Cores
		}
		t.Add("%s\t%s\t%d\t%s\t%s ago\t%d\t%d\t%d\t%s\t%s", w.Name, strings.TrimSpace(string(w.State)+" "+w.Reason), w.Units,
			percent(float64(w.Units)/float64(max(1, units)), 1), list.Updated.Sub(w.Seen).Round(time.Second), w.Failures,
			w.Replays, w.Cores, ui.If(w.Speed > 0, "%.0f", w.Speed), w.Program+ui.If(w.System != "", ", %s", w.System))
	}
	text := "No worker is at work: the run has stopped"
	if running {
		text = fmt.Sprintf("%d at work, cores: %d", present, cores)
	}
	return doc.Part{Tables: []ui.Table{t}, Text: []string{fmt.Sprintf("%s; %d units answered since the coordinator last "+
		"started. As of %s.", text, units, list.Updated.UTC().Format("2006-01-02 15:04:05 UTC"))},
		Notes: []string{"A unit is a game or the check of an opening, and a share of all units since the coordinator " +
			"started. A failure is a unit that the worker could not play; replays counts its games that a second worker played, " +
			"too, with the same moves. Nodes/s are a core's in the bench: a slower worker gets longer clocks."}}
}
