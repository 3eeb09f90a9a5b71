package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/doc"
	"github.com/assay-chess/assay/cmd/internal/ownengine"
	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/dataset/arrange"
	"github.com/assay-chess/assay/internal/durable"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/selfplay/screen"
	"github.com/assay-chess/assay/selfplay/sprt"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// kind describes the runs of a command, and adds the sections of their pages. Where there is no result yet it returns
// nil or a document without a headline: then the last event of progress is the headline.
type kind struct {
	unit     string // of progress
	describe func(*builder) *doc.Document
}

// kinds are the kinds of runs, by their commands. A command without a kind of its own may have games.
var kinds = map[string]kind{
	"match":           {"games", (*builder).match},
	"ladder":          {"games", (*builder).ladder},
	"screen":          {"games", (*builder).screen},
	"selfplay":        {"games", (*builder).selfplay},
	"spsa":            {"iterations", (*builder).spsa},
	"tune":            {"steps", (*builder).tune},
	"learn":           {"generations", (*builder).learn},
	ownengine.Command: {"generations", (*builder).learnEngine},
}

func (b *builder) selfplay() *doc.Document {
	b.tally(b.dir, "selfplay")
	if b.report.Status.Info.Command != "selfplay" {
		return nil // another command has another result
	}
	s := read[datagen.Summary](b, b.dir, durable.RunResultName)
	if s == nil {
		return nil
	}
	d := doc.Selfplay(s, b.dir)
	d.Headline = fmt.Sprintf("%d games", s.Games)
	b.add("selfplay", "Self-play", d.Parts)
	return d
}

func (b *builder) match() *doc.Document {
	d, _ := b.addMatch("match", "The match", b.dir)
	return d
}

// addMatch adds the match in dir, as far as it got, and returns it. There may be none.
func (b *builder) addMatch(id, title, dir string) (*doc.Document, *match.Result) {
	var c struct { // what the result needs of config.json
		A         string     `json:"a"`
		B         string     `json:"b"`
		Test      *sprt.Test `json:"sprt"`
		Corrected bool       `json:"overshoot_corrected"`
	}
	if !b.read(&c, dir, durable.RunConfigName) {
		return nil, nil
	}
	r := read[match.Result](b, dir, durable.RunResultName)
	var course []*match.Result
	if !b.brief {
		const maxPoints = 300 // of a curve
		var err error
		if course, err = match.Follow(b.tally(dir, id).Pairs(), c.Test, c.Corrected, maxPoints); err != nil {
			b.keep(fmt.Errorf("%s: %w", dir, err))
			return nil, nil
		}
	}
	if r == nil && course == nil {
		return nil, nil
	} else if r == nil {
		r = course[len(course)-1]
		r.A, r.B = c.A, c.B
		if r.Games == 0 {
			r.LLR = nil // nothing to show
		}
		info, _ := durable.ReadRunInfo(dir) // a fault of it shows in the run's status
		if len(info.Players) == 2 {
			r.A, r.B, r.IDA, r.IDB = info.Players[0].Name, info.Players[1].Name, info.Players[0].ID, info.Players[1].ID
		}
	}
	r.Load = gamelog.ReadLoad(dir)
	d := doc.Match(r, dir)
	parts := d.Parts
	if dir != b.dir {
		parts = append([]doc.Part{{Text: append([]string{d.Headline}, d.Warnings...)}}, parts...)
	}
	b.add(id, title, parts, b.course(course, id)...)
	return d, r
}

// course draws how a match went.
func (b *builder) course(course []*match.Result, name string) (list []figure) {
	if len(course) == 0 || course[0].Games == 0 {
		return nil
	}
	elo := series{name: "Elo of A, 95 % interval", line: true}
	llr := series{name: "LLR", line: true}
	lower, upper := series{name: "bounds of the test", guide: true}, series{guide: true}
	for _, r := range course {
		at := float64(r.Games)
		if r.Strength.Known() {
			elo.strength(at, r.Strength)
		}
		if r.LLR != nil {
			llr.put(at, *r.LLR)
			lower.put(at, *r.Lower)
			upper.put(at, *r.Upper)
		}
	}
	if n := len(llr.x); n > 0 {
		llr.points = n < 40
		list = append(list, chart(figure{Title: "Log-likelihood ratio against its bounds: " + name,
			Note: "The test stops at the first crossing. Above the upper bound it accepts elo1, below the lower bound elo0.",
		}, "games", "LLR", lower, upper, llr))
	}
	if n := len(elo.x); n > 0 {
		// The intervals of the first pairs are so wide that they would hide the rest.
		from := n / 12
		elo.x, elo.y, elo.lo, elo.hi = elo.x[from:], elo.y[from:], elo.lo[from:], elo.hi[from:]
		zero := level("equal", 0, elo.x[0], elo.x[len(elo.x)-1])
		list = append(list, chart(figure{Title: "Elo with its 95 % interval: " + name}, "games", "Elo", zero, elo))
	}
	return append(list, bars(figure{Title: "Pairs of games by their score: " + name,
		Note: "A pair is two games from one opening with colors reversed. The score is A's."},
		"pairs", []string{"0", "½", "1", "1½", "2"}, counts(course[len(course)-1].Pentanomial[:])))
}

func (b *builder) ladder() *doc.Document {
	t := b.tally(b.dir, "ladder")
	r := read[ladder.Result](b, b.dir, durable.RunResultName)
	if r == nil {
		so := ui.Table{Head: []string{"player", ">points", ">games"},
			Caption: "Points so far; there are ratings when the ladder is complete"}
		for _, s := range slices.SortedFunc(maps.Values(t.Standings), func(a, b *arrange.Standing) int {
			return cmp.Compare((2*b.Won+b.Drawn)*a.Games, (2*a.Won+a.Drawn)*b.Games)
		}) {
			so.Add("%s\t%g\t%d", cmp.Or(t.viewer.shown[s.Name], s.Name), float64(s.Won)+float64(s.Drawn)/2, s.Games)
		}
		b.add("ladder", "The ladder", []doc.Part{{Tables: []ui.Table{so}}})
		return nil
	}
	r.Load = gamelog.ReadLoad(b.dir)
	d := doc.Ladder(r, b.dir)
	b.add("ladder", "The ladder", d.Parts, b.forest(ratingsTitle, ratings(r))...)
	return d
}

const ratingsTitle = "Ratings with 95 % intervals"

func ratings(r *ladder.Result) (list []estimate) {
	for _, x := range r.Ratings {
		if x.Known() {
			list = append(list, estimate{name: x.Name, value: finiteEnd(x.Strength), lo: float64(x.EloLo), hi: float64(x.EloHi)})
		}
	}
	return list
}

// finiteEnd is where an Elo is drawn: at the end of its interval that is finite if all games were won or lost.
func finiteEnd(s sprt.Strength) float64 {
	if math.IsInf(float64(s.Elo), 1) {
		return float64(s.EloLo)
	}
	if math.IsInf(float64(s.Elo), -1) {
		return float64(s.EloHi)
	}
	return float64(s.Elo)
}

// LadderName is the file with the drawing of a ladder, in its folder.
const LadderName = "ladder.svg"

// Ladder draws the ratings of a ladder as an SVG file.
func Ladder(r *ladder.Result) []byte {
	return standalone(string(forest(figure{Title: ratingsTitle, frame: alone}, "Elo", ratings(r)).SVG))
}

// forest draws estimates in Elo, if there are any.
func (b *builder) forest(title string, list []estimate) []figure {
	if b.brief || len(list) == 0 {
		return nil
	}
	return []figure{forest(figure{Title: title}, "Elo", list)}
}

func (b *builder) screen() (d *doc.Document) {
	b.tally(b.dir, "screen")
	if r := read[screen.Result](b, b.dir, durable.RunResultName); r != nil {
		var list []estimate
		for j := range r.Effects {
			if e := &r.Effects[j]; e.Known() {
				list = append(list, estimate{name: r.Factors[j].Name, value: float64(e.Elo), lo: float64(e.EloLo),
					hi: float64(e.EloHi)})
			}
		}
		slices.SortStableFunc(list, func(a, b estimate) int { return cmp.Compare(b.value, a.value) }) // the largest on top
		d = doc.Screen(r)
		if r.Verdict == "" { // a terminal draws in the last column what the plot shows
			t := &d.Parts[0].Tables[0]
			t.Head = t.Head[:3]
			for i := range t.Rows {
				t.Rows[i] = t.Rows[i][:3]
			}
		}
		b.add("effects", "Effects", d.Parts, b.forest("Effects with 95 % intervals", list)...)
	}
	if !b.brief {
		b.addMatch(screen.ConfirmName, "The confirming match", b.path(screen.ConfirmName))
		b.addMatch(screen.ConfirmClockName, "The confirming match by a clock", b.path(screen.ConfirmClockName))
	}
	return d
}

func (b *builder) spsa() (d *doc.Document) {
	var config struct {
		SPSA spsa.Config `json:"spsa"`
	}
	b.read(&config, b.dir, durable.RunConfigName)
	b.tally(b.dir, "tuning")
	var parts []doc.Part
	if r := read[play.Result](b, b.dir, durable.RunResultName); r != nil {
		r.Load = gamelog.ReadLoad(b.dir)
		d = doc.SPSA(r, config.SPSA.Parameters, b.dir)
		parts = d.Parts
	}
	if b.brief {
		return d
	}
	lines, err := b.iterations()
	b.keep(err)
	var figures []figure
	for i, p := range config.SPSA.Parameters {
		s := series{name: p.Name, line: true}
		for k := range lines {
			if i < len(lines[k].Values) {
				s.put(float64(lines[k].Iteration), lines[k].Values[i])
			}
		}
		if len(s.x) > 0 {
			start := level("start", p.Start, 0, s.x[len(s.x)-1])
			f := figure{Title: "Value over the iterations: " + p.Name}
			figures = append(figures, chart(f, "iteration", "value", start, s))
		}
	}
	b.add("parameters", "Parameters", parts, figures...)
	b.addMatch("validation", "Validation match", b.path(play.ValidationName))
	return d
}

// iterations reads the log of iterations, without a last line that is still being written: all of them, or, if these
// are more than a plot needs, every second, fourth, eighth ...
func (b *builder) iterations() (list []play.Iteration, err error) {
	name := filepath.Join(b.dir, play.LogName)
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	r, step := bufio.NewReader(file), 1
	for n := 0; ; n++ {
		data, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		if n%step != 0 {
			continue
		}
		var line play.Iteration
		if err := json.Unmarshal(data, &line); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, n+1, err)
		}
		if list = append(list, line); len(list) == mostIterations {
			for i := range mostIterations / 2 {
				list[i] = list[2*i]
			}
			list, step = list[:mostIterations/2], 2*step
		}
	}
}

// mostIterations is how many iterations a plot shows at most.
const mostIterations = 800

// learnEngine shows a run of assay learn --engine.
func (b *builder) learnEngine() *doc.Document {
	var config ownengine.RunConfig
	b.read(&config, b.dir, durable.RunConfigName)
	d, plan := new(doc.Document), config.Plan
	if r := read[ownengine.Result](b, b.dir, durable.RunResultName); r != nil {
		d, plan = doc.Engine(r, b.dir), r.Plan
		b.add("generations", "Generations", d.Parts)
	}
	if d.Total = int64(plan.Generations); b.brief {
		return d
	}
	started := b.started(plan.Generations)
	d.Done, b.maxGames = int64(len(started)), galleryBytes/(len(ownengine.Sizes())*len(started)+2)
	for i, folder := range started {
		for _, size := range ownengine.Sizes() {
			b.addStage(learn.Folder(i+1)+"-"+size, filepath.Join(folder, ownengine.GateName, size))
		}
	}
	for _, name := range []string{"match", "clock"} {
		b.addStage(ownengine.FinalName+"-"+name, b.path(ownengine.FinalName, name))
	}
	b.add("plan", "The plan", []doc.Part{{Code: plan.Text()}})
	return d
}

func (b *builder) addStage(id, dir string) {
	b.addMatch(id, "Match: "+strings.ReplaceAll(id, "-", " "), dir)
}

// started lists the folders of the generations that have one.
func (b *builder) started(generations int) (folders []string) {
	for n := 1; n <= generations; n++ {
		folder := b.path(learn.Folder(n))
		if _, err := os.Stat(folder); err != nil {
			break
		}
		folders = append(folders, folder)
	}
	return folders
}

// path returns a path in the run's folder.
func (b *builder) path(elem ...string) string {
	return filepath.Join(append([]string{b.dir}, elem...)...)
}
