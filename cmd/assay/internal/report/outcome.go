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

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/datagen"
	"github.com/assay-chess/assay/selfplay/gamelog"
	"github.com/assay-chess/assay/selfplay/games"
	"github.com/assay-chess/assay/selfplay/ladder"
	"github.com/assay-chess/assay/selfplay/match"
	"github.com/assay-chess/assay/tuner"
	"github.com/assay-chess/assay/tuner/gameloop"
	"github.com/assay-chess/assay/tuner/learn"
	"github.com/assay-chess/assay/tuner/spsa"
	"github.com/assay-chess/assay/tuner/spsa/play"
)

// outcome is what the list of runs and the title of a page say of a run.
type outcome struct {
	Verdict string    // a word, such as PASSED; empty if there is none, or none yet
	Class   string    // good, bad or open, for the color of the word
	Text    string    // the rest of the result
	LLR     string    // with its bounds; of tests
	WDL     string    // of matches: A's games won, drawn and lost
	LLRs    []float64 // LLR, lower and upper bound; of tests
	Penta   []int64   // of matches: pairs by A's points
	Done    int64
	Total   int64 // 0: not known
	Unit    string
}

// Title is the result in a few words, and the name of the run.
func (o *outcome) title(name string) string {
	if o.Verdict == "" && o.Text == "" {
		return name
	}
	return strings.TrimSpace(o.Verdict+" "+shorten(o.Text, 60)) + " · " + name
}

// say splits a headline into its first word and the rest.
func (o *outcome) say(headline string) {
	word, rest, ok := strings.Cut(headline, ": ")
	if !ok {
		word, rest = "", headline
	}
	o.Verdict, o.Text, o.Class = word, rest, "open"
	switch word {
	case "PASSED", "STRONGER":
		o.Class = "good"
	case "FAILED", "WEAKER", "NO VERDICT":
		o.Class = "bad"
	}
}

// standing is what the games of a run in progress say: how many there are, and the pairs of
// a match in order, from A's view.
type standing func(dir string) (games int64, pairs [][2]int, err error)

// readOutcome reads the outcome of a run, as far as it got. It asks for the standing only if
// there is no result.
func readOutcome(dir string, status durable.RunStatus, at standing) (*outcome, error) {
	read := map[string]func(*outcome, string, standing) error{
		"learn": (*outcome).learn, "tune": (*outcome).tune, "match": (*outcome).match, "ladder": (*outcome).ladder,
		"spsa": (*outcome).spsa, "selfplay": (*outcome).selfplay, gameloop.Command: (*outcome).learnGame, games.MatchCommand: (*outcome).matchGame,
	}[status.Info.Command]
	o := new(outcome)
	if read == nil || status.State == durable.Unreadable {
		return o, nil
	}
	return o, read(o, dir, at)
}

// result reads the result of a run; false if there is none yet.
func result[T any](dir string) (*T, bool, error) {
	v := new(T)
	ok, err := readJSON(v, dir, durable.RunResultName)
	return v, ok, err
}

func (o *outcome) match(dir string, at standing) error {
	var c matchConfig
	if _, err := readJSON(&c, dir, durable.RunConfigName); err != nil {
		return err
	}
	o.Total, o.Unit = c.Games, "games"
	r, ok, err := result[match.Result](dir)
	if err != nil {
		return err
	}
	if ok {
		o.say(r.Headline())
		o.Done, o.WDL = r.Games, wdl(r.Wins, r.Draws, r.Losses)
		if r.LLR != nil && r.Lower != nil && r.Upper != nil {
			o.LLR, o.LLRs = llrText(*r.LLR, *r.Lower, *r.Upper), []float64{*r.LLR, *r.Lower, *r.Upper}
		}
		o.Penta = r.Pentanomial[:]
		return nil
	}
	_, pairs, err := at(dir)
	if err != nil || len(pairs) == 0 {
		return err
	}
	course, err := match.Follow(pairs, c.Test, c.Corrected, 1)
	if err != nil {
		return err
	}
	o.Done, o.Text = course.Standing.Games, "too few games for an Elo"
	if x := course.Strength; x.Known() {
		o.Text = "so far " + x.Text(" Elo")
	}
	if course.LLR != nil {
		last := course.Points[len(course.Points)-1]
		o.LLR, o.LLRs = llrText(last.LLR, last.Lower, last.Upper), []float64{last.LLR, last.Lower, last.Upper}
	}
	o.Penta, o.WDL = course.Pentanomial[:], wdl(course.Games[2], course.Games[1], course.Games[0])
	return nil
}

func llrText(llr, lower, upper float64) string {
	return fmt.Sprintf("%.2f (%.2f, %.2f)", llr, lower, upper)
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

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (o *outcome) ladder(dir string, at standing) error {
	var c struct {
		Games int64 `json:"games"`
	}
	if _, err := readJSON(&c, dir, durable.RunConfigName); err != nil {
		return err
	}
	o.Total, o.Unit = c.Games, "games"
	r, ok, err := result[ladder.Result](dir)
	switch {
	case err != nil:
		return err
	case !ok:
		o.Done, _, err = at(dir)
		return err
	case r.Verdict != "":
		o.say("NO VERDICT: " + r.Reason)
	case len(r.Ratings) > 0:
		x := r.Ratings[0]
		o.Text = fmt.Sprintf("first of %d: %s, %s", len(r.Ratings), x.Name, x.Text(" Elo"))
	}
	o.Done = r.Games
	return nil
}

func (o *outcome) spsa(dir string, _ standing) error {
	var c struct {
		SPSA spsa.Config `json:"spsa"`
	}
	if _, err := readJSON(&c, dir, durable.RunConfigName); err != nil {
		return err
	}
	o.Total, o.Unit = int64(c.SPSA.Iterations), "iterations"
	log, err := os.ReadFile(filepath.Join(dir, play.LogName))
	if ignoreMissing(err) != nil {
		return err
	}
	o.Done = int64(bytes.Count(log, []byte("\n")))
	r, ok, err := result[play.Result](dir)
	switch {
	case err != nil || !ok:
		return err
	case r.Verdict != "":
		o.say("NO VERDICT: " + r.Reason)
	case r.Validation != nil:
		o.say(r.Validation.Headline())
		o.WDL = wdl(r.Validation.Wins, r.Validation.Draws, r.Validation.Losses)
	default:
		o.Text = fmt.Sprintf("%d parameters tuned, not validated", len(r.Parameters))
	}
	return nil
}

func (o *outcome) selfplay(dir string, at standing) error {
	var c struct {
		Games int64 `json:"games"`
	}
	if _, err := readJSON(&c, dir, durable.RunConfigName); err != nil {
		return err
	}
	o.Total, o.Unit = c.Games, "games"
	s, ok, err := result[datagen.Summary](dir)
	if o.Done = s.Games; err == nil && !ok {
		o.Done, _, err = at(dir)
	}
	return err
}

func (o *outcome) tune(dir string, _ standing) error {
	r := new(tuner.Report)
	if ok, err := readJSON(r, dir, durable.RunResultName); err != nil {
		return err
	} else if !ok {
		return nil
	}
	o.Done, o.Unit, o.Class = int64(r.Steps), "steps", "open"
	switch r.Answer {
	case tuner.Better:
		o.Class = "good"
	case tuner.Worse:
		o.Class = "bad"
	}
	o.Verdict = strings.ToUpper(r.Answer)
	if p := r.Gain(); p != nil {
		o.Text = fmt.Sprintf("loss lower by %.6f [%+.6f, %+.6f]", p.Gain, p.Interval[0], p.Interval[1])
	}
	return nil
}

func (o *outcome) learn(dir string, _ standing) error {
	var c struct {
		Plan learn.Plan `json:"plan"`
	}
	if _, err := readJSON(&c, dir, durable.RunConfigName); err != nil {
		return err
	}
	o.Total, o.Unit = int64(len(c.Plan.Generations)), "generations"
	var r struct { // of all that a result says
		Generations []json.RawMessage `json:"generations"`
		Final       *match.Result     `json:"final"`
	}
	if ok, err := readJSON(&r, dir, durable.RunResultName); err != nil {
		return err
	} else if ok && r.Final != nil {
		o.say(r.Final.Headline())
		o.WDL = wdl(r.Final.Wins, r.Final.Draws, r.Final.Losses)
		o.Done, o.Total = int64(len(r.Generations)), max(o.Total, int64(len(r.Generations)))
		return nil
	}
	for n := range o.Total {
		if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("gen-%d", n+1), "gate", durable.RunResultName)); err == nil {
			o.Done = n + 1
		}
	}
	return nil
}
