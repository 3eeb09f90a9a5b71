package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/enginerun"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	screenplay "github.com/assay-chess/assay/selfplay/screen/play"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// Summary is a line of the list of runs, and the title of a run's page.
type Summary struct {
	State       durable.State `json:"state"`                 // of the run's folder
	Verdict     string        `json:"verdict,omitempty"`     // a word, such as PASSED; empty if there is none yet
	Class       string        `json:"class,omitempty"`       // good, bad or open: the color of the word
	Text        string        `json:"text,omitempty"`        // the rest of the result
	LLR         []float64     `json:"llr,omitempty"`         // of tests, with its lower and upper bound
	WDL         string        `json:"wdl,omitempty"`         // of matches: A's games won, drawn and lost
	Pentanomial []int64       `json:"pentanomial,omitempty"` // of matches: pairs by A's points
	Done        int64         `json:"done"`
	Total       int64         `json:"total,omitempty"` // 0: not known
	Unit        string        `json:"unit,omitempty"`  // of both
}

// standing counts the games of a run in progress, and lists the pairs of a match in order, from A's view.
type standing func(dir string) (games int64, pairs [][2]int, err error)

// summarize reads the summary of a run, as far as it got. It asks for the standing only if there is no result.
func summarize(dir string, status durable.RunStatus, at standing) (o *Summary, err error) {
	defer contradicted(dir, &err)
	o, r := &Summary{State: status.State}, &reader{dir: dir}
	if status.State == durable.Unreadable {
		return o, nil
	}
	switch status.Info.Command {
	case "learn":
		var c struct {
			Plan learn.Plan `json:"plan"`
		}
		r.read(&c, dir, durable.RunConfigName)
		o.learn(r, len(c.Plan.Generations))
	case enginerun.Command:
		if x := read[enginerun.Result](r, dir, durable.RunResultName); x != nil {
			o.say(x.Headline())
		}
	case "tune":
		o.tune(r)
	case "match":
		o.match(r, at)
	case "ladder":
		o.ladder(r, at)
	case "screen":
		o.screen(r, at)
	case "spsa":
		o.spsa(r)
	case "selfplay":
		o.selfplay(r, at)
	}
	return o, r.err
}

// title is the result in a few words, and the name of the run.
func (o *Summary) title(name string) string {
	if o.Verdict == "" && o.Text == "" {
		return name
	}
	return strings.TrimSpace(o.Verdict+" "+shorten(o.Text, 60)) + " · " + name
}

// LLRText is the LLR with its bounds; empty if the run is no test.
func (o *Summary) LLRText() string {
	if o.LLR == nil {
		return ""
	}
	return fmt.Sprintf("%.2f (%.2f, %.2f)", o.LLR[0], o.LLR[1], o.LLR[2])
}

// say splits a headline into its first word and the rest.
func (o *Summary) say(headline string) {
	word, rest, ok := strings.Cut(headline, ": ")
	if !ok {
		word, rest = "", headline
	}
	o.Verdict, o.Text, o.Class = word, rest, "open"
	switch word {
	case "PASSED", "STRONGER", string(learn.GainProved):
		o.Class = "good"
	case "FAILED", "WEAKER", "NO VERDICT":
		o.Class = "bad"
	}
}

// decided is the outcome of a run that ended with a match.
func (o *Summary) decided(m *match.Result) {
	o.say(m.Headline())
	o.WDL = wdl(m.Wins, m.Draws, m.Losses)
}

// played is the outcome of a match.
func (o *Summary) played(m *match.Result) {
	o.decided(m)
	o.Done, o.Unit, o.Pentanomial = m.Games, "games", m.Pentanomial[:]
	if m.LLR != nil && m.Lower != nil && m.Upper != nil {
		o.LLR = []float64{*m.LLR, *m.Lower, *m.Upper}
	}
}

func (o *Summary) match(r *reader, at standing) {
	var c matchConfig
	r.read(&c, r.dir, durable.RunConfigName)
	o.series(r)
	if m := read[match.Result](r, r.dir, durable.RunResultName); m != nil {
		o.played(m)
		return
	}
	_, pairs, err := at(r.dir)
	if r.keep(err); len(pairs) == 0 || r.err != nil {
		return
	}
	course, err := match.Follow(pairs, c.Test, c.Corrected, 1)
	if err != nil {
		r.keep(err)
		return
	}
	o.Done, o.Text = course.Standing.Games, "too few games for an Elo"
	if x := course.Strength; x.Known() {
		o.Text = "so far " + x.Text(" Elo")
	}
	if course.LLR != nil {
		last := course.Points[len(course.Points)-1]
		o.LLR = []float64{last.LLR, last.Lower, last.Upper}
	}
	o.Pentanomial, o.WDL = course.Pentanomial[:], wdl(course.Games[2], course.Games[1], course.Games[0])
}

func wdl(won, drawn, lost int64) string { return fmt.Sprintf("%d–%d–%d", won, drawn, lost) }

// readStanding reads the standing without replaying any game.
func readStanding(dir string) (games int64, pairs [][2]int, err error) {
	results := map[uint64]int{}
	err = gamelog.ReadResults(dir, func(number uint64, result int) {
		games++
		results[number] = result
	})
	for n := uint64(0); ; n += 2 {
		first, ok := results[n]
		second, ok2 := results[n+1]
		if !ok || !ok2 {
			return games, pairs, err
		}
		pairs = append(pairs, [2]int{first, -second}) // A has White in the first game
	}
}

// series reads how many games a run is to play.
func (o *Summary) series(r *reader) {
	info, _ := durable.ReadRunInfo(r.dir) // what is wrong with it is in the run's status
	o.Total, o.Unit = int64(info.Total), "games"
}

func (o *Summary) selfplay(r *reader, at standing) {
	o.series(r)
	if s := read[datagen.Summary](r, r.dir, durable.RunResultName); s != nil {
		o.Done = s.Games
	} else {
		o.soFar(r, at)
	}
}

func (o *Summary) soFar(r *reader, at standing) {
	var err error
	o.Done, _, err = at(r.dir)
	r.keep(err)
}

func (o *Summary) ladder(r *reader, at standing) {
	o.series(r)
	x := read[ladder.Result](r, r.dir, durable.RunResultName)
	if x == nil {
		o.soFar(r, at)
		return
	}
	if o.Done = x.Games; x.Verdict != "" {
		o.say("NO VERDICT: " + x.Reason)
	} else if len(x.Ratings) > 0 {
		first := x.Ratings[0]
		o.Text = fmt.Sprintf("first of %d: %s, %s", len(x.Ratings), first.Name, first.Text(" Elo"))
	}
}

func (o *Summary) screen(r *reader, at standing) {
	o.series(r)
	x := read[screenplay.Result](r, r.dir, durable.RunResultName)
	switch {
	case x == nil:
		o.soFar(r, at)
		return
	case x.Verdict != "":
		o.say("NO VERDICT: " + x.Reason)
	case len(x.Recommended) > 0:
		o.Text = fmt.Sprintf("%d of %d recommended", len(x.Recommended), len(x.Factors))
	default:
		o.Text = fmt.Sprintf("none of %d recommended", len(x.Factors))
	}
	o.Done = x.Games
}

func (o *Summary) spsa(r *reader) {
	var c struct {
		SPSA spsa.Config `json:"spsa"`
	}
	r.read(&c, r.dir, durable.RunConfigName)
	o.Total, o.Unit = int64(c.SPSA.Iterations), "iterations"
	log, err := durable.ReadFile(filepath.Join(r.dir, play.LogName), 4*durable.MaxJSON)
	if !errors.Is(err, fs.ErrNotExist) {
		r.keep(err)
	}
	o.Done = int64(bytes.Count(log, []byte("\n")))
	x := read[play.Result](r, r.dir, durable.RunResultName)
	switch {
	case x == nil:
	case x.Verdict != "":
		o.say("NO VERDICT: " + x.Reason)
	case x.Validation != nil:
		o.decided(x.Validation)
	default:
		o.Text = fmt.Sprintf("%d parameters tuned, not validated", len(x.Parameters))
	}
}

func (o *Summary) tune(r *reader) {
	x := read[tuner.Report](r, r.dir, durable.RunResultName)
	if x == nil {
		return
	}
	o.Done, o.Unit, o.Class = int64(x.Steps), "steps", "open"
	switch x.Answer {
	case tuner.Better:
		o.Class = "good"
	case tuner.Worse:
		o.Class = "bad"
	}
	o.Verdict = strings.ToUpper(x.Answer)
	if p := x.Gain(); p != nil {
		o.Text = fmt.Sprintf("loss lower by %.6f [%+.6f, %+.6f]", p.Gain, p.Interval[0], p.Interval[1])
	}
}

// learn is the outcome of a loop of generations. A generation has ended when its gate has a result.
func (o *Summary) learn(r *reader, generations int) {
	o.Total, o.Unit = int64(generations), "generations"
	var x struct { // of a long result
		Generations []json.RawMessage `json:"generations"`
		Final       *match.Result     `json:"final"`
	}
	if r.read(&x, r.dir, durable.RunResultName) && x.Final != nil {
		o.decided(x.Final)
		o.Done = int64(len(x.Generations))
		o.Total = max(o.Total, o.Done)
		return
	}
	for n := range o.Total {
		dir := filepath.Join(r.dir, fmt.Sprintf("gen-%d", n+1))
		if _, err := os.Stat(dir); err != nil {
			return // the run is not there yet
		}
		if _, err := os.Stat(filepath.Join(dir, "gate", durable.RunResultName)); err == nil {
			o.Done = n + 1
		}
	}
}
