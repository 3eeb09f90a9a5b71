package translate

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// translation is what the options said so far.
type translation struct {
	runner        string
	engines       []engine
	each          engine
	rounds, games uint64
	gauntlet      bool
	sprt          bool
	draw, win     bool // adjudicated
	flags         []string
	notes         []string
}

func (t *translation) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

func (t *translation) flag(words ...string) { t.flags = append(t.flags, words...) }

// table returns the options of the runners. Those of one name mean the same in all of them,
// unless the function asks.
func table() map[string]func(*translation, []string) error {
	dropped := func(why string) func(*translation, []string) error {
		return func(t *translation, values []string) error {
			t.notes = append(t.notes, why)
			return nil
		}
	}
	nothing := func(*translation, []string) error { return nil }
	return map[string]func(*translation, []string) error{
		"-engine": func(t *translation, values []string) error {
			t.engines = append(t.engines, engine{})
			return t.engines[len(t.engines)-1].read(t, values)
		},
		"-each":        func(t *translation, values []string) error { return t.each.read(t, values) },
		"-quick":       quick,
		"-rounds":      func(t *translation, values []string) error { return count(values, &t.rounds) },
		"-games":       func(t *translation, values []string) error { return count(values, &t.games) },
		"-repeat":      func(t *translation, _ []string) error { t.games = max(t.games, 2); return nil },
		"-concurrency": one("--concurrency"),
		"-srand":       one("--seed"),
		"-openings":    openings,
		"-sprt":        sprt,
		"-draw":        draw,
		"-resign":      resign,
		"-maxmoves":    maxMoves,
		"-pgnout":      folder,
		"-pgn":         folder,
		"-tournament":  tournament,
		"-use-affinity": func(t *translation, values []string) error {
			t.flag("--affinity")
			if len(values) > 0 {
				t.note("-use-affinity %s: assay chooses the cores; to use some of them only, start it with taskset -c", values[0])
			}
			return nil
		},
		"-recover": func(t *translation, _ []string) error { t.flag("--recover"); return nil },
		"-variant": variant,

		"-noswap":  dropped("-noswap: assay always plays both games of an opening, with colors reversed"),
		"-reverse": dropped("-reverse: assay always plays both games of an opening, with colors reversed"),
		"-config":  dropped("-config: with --out, the same command resumes the match"),
		"-epdout":  dropped("-epdout: with --out, assay data export writes EPD from the folder's games"),
		"-log":     dropped("-log: with --out, the dialogue of a forfeited game is kept in the folder"),
		"-debug":   dropped("-debug: with --out, the dialogue of a forfeited game is kept in the folder"),
		"-tb":      dropped("-tb: assay does not adjudicate by tablebases"),

		"-tbpieces": nothing, "-tbignore50": nothing, "-tbadjudicate": nothing,
		"-event": nothing, "-site": nothing, "-output": nothing, "-report": nothing, "-ratinginterval": nothing,
		"-scoreinterval": nothing, "-autosaveinterval": nothing, "-wait": nothing, "-show-latency": nothing,
		"-testEnv": nothing, "-force-concurrency": nothing, "-crc32": nothing, "-seeds": nothing, "-resultformat": nothing,
		"-outcomeinterval": nothing, "-drawbyrepetition": nothing, "-sample": nothing,
	}
}

// one returns the translation of an option with one whole number.
func one(flag string) func(*translation, []string) error {
	return func(t *translation, values []string) error {
		var n uint64
		if err := count(values, &n); err != nil {
			return err
		}
		t.flag(flag, strconv.FormatUint(n, 10))
		return nil
	}
}

func count(values []string, n *uint64) (err error) {
	if len(values) == 0 {
		return errors.New("want a whole number")
	}
	if *n, err = strconv.ParseUint(values[0], 10, 63); err != nil {
		return errors.New("want a whole number")
	}
	return nil
}

// quick is fastchess's short form: two commands, a book, and its own limits.
func quick(t *translation, values []string) error {
	list, err := pairs(values)
	if err != nil {
		return err
	}
	for _, kv := range list {
		switch kv[0] {
		case "cmd":
			t.engines = append(t.engines, engine{command: kv[1]})
		case "book":
			t.flag("--book", kv[1], "--book-order", "random")
		default:
			return fmt.Errorf("%q is not known", kv[0])
		}
	}
	if err := t.each.set(t, "tc", "10+0.1"); err != nil {
		return err
	}
	t.rounds, t.games = 25000, 2
	t.note("-quick: 10+0.1 and 50,000 games at most; assay plays one game a core at once")
	return nil
}

func openings(t *translation, values []string) error {
	list, err := pairs(values)
	if err != nil {
		return err
	}
	for _, kv := range list {
		switch kv[0] {
		case "file":
			t.flag("--book", kv[1])
		case "order":
			if kv[1] != "random" && kv[1] != "sequential" {
				return fmt.Errorf("order=%s: want random or sequential", kv[1])
			}
			t.flag("--book-order", kv[1])
		case "start":
			n, err := strconv.ParseUint(kv[1], 10, 63)
			if err != nil || n == 0 {
				return fmt.Errorf("start=%s: want a number from 1", kv[1])
			}
			t.flag("--book-start", strconv.FormatUint(n-1, 10))
		case "format", "srand", "policy": // by the file's name; by --seed; always pairs
		case "plies":
			t.note("plies=%s: assay plays the whole lines of a book of games", kv[1])
		default:
			return fmt.Errorf("%q is not known", kv[0])
		}
	}
	return nil
}

func sprt(t *translation, values []string) error {
	list, err := pairs(values)
	if err != nil {
		return err
	}
	set := map[string]string{"elo0": "0", "elo1": "4", "alpha": "0.05", "beta": "0.05", "model": "logistic"}
	if t.runner == "fastchess" {
		set["model"] = "normalized"
	}
	for _, kv := range list {
		if _, known := set[kv[0]]; !known {
			return fmt.Errorf("%q is not known", kv[0])
		}
		if _, err := strconv.ParseFloat(kv[1], 64); err != nil && kv[0] != "model" {
			return fmt.Errorf("%s=%s: want a number", kv[0], kv[1])
		}
		set[kv[0]] = kv[1]
	}
	t.sprt = true
	t.flag("--sprt", set["elo0"]+","+set["elo1"], "--elo-model", set["model"])
	for _, key := range []string{"alpha", "beta"} {
		if set[key] != "0.05" {
			t.flag("--"+key, set[key])
		}
	}
	return nil
}

// numbers reads KEY=NUMBER words.
func numbers(values []string) (map[string]int, error) {
	list, err := pairs(values)
	if err != nil {
		return nil, err
	}
	set := map[string]int{}
	for _, kv := range list {
		if kv[0] == "twosided" {
			if kv[1] == "true" {
				set["twosided"] = 1
			}
			continue
		}
		if set[kv[0]], err = strconv.Atoi(kv[1]); err != nil {
			return nil, fmt.Errorf("%s=%s: want a whole number", kv[0], kv[1])
		}
	}
	return set, nil
}

// draw: moves of both players are two plies each.
func draw(t *translation, values []string) error {
	set, err := numbers(values)
	if err != nil {
		return err
	}
	from := set["movenumber"] + set["number"]      // c-chess-cli: number
	moves := max(set["movecount"]+set["count"], 1) // c-chess-cli: count
	t.draw = true
	t.flag("--draw-score", strconv.Itoa(set["score"]), "--draw-plies", strconv.Itoa(2*moves), "--draw-from", strconv.Itoa(2*from))
	return nil
}

func resign(t *translation, values []string) error {
	set, err := numbers(values)
	if err != nil {
		return err
	}
	moves := max(set["movecount"]+set["count"], 1)
	t.win = true
	t.flag("--win-score", strconv.Itoa(set["score"]), "--win-plies", strconv.Itoa(2*moves))
	if set["twosided"] == 0 {
		t.flag("--win-one-sided")
	}
	return nil
}

func maxMoves(t *translation, values []string) error {
	var n uint64
	if err := count(values, &n); err != nil {
		return err
	}
	t.flag("--max-plies", strconv.FormatUint(2*n, 10))
	return nil
}

// folder keeps the match in a folder named like the PGN file.
func folder(t *translation, values []string) error {
	if len(values) == 0 {
		return errors.New("want a file")
	}
	name := strings.TrimPrefix(values[0], "file=")
	dir := strings.TrimSuffix(name, filepath.Ext(name))
	t.flag("--out", dir)
	t.note("the games are in %s/games.pgn, with scores, depth and time of each move", dir)
	return nil
}

func tournament(t *translation, values []string) error {
	switch {
	case len(values) == 0:
		return errors.New("want roundrobin or gauntlet")
	case values[0] == "gauntlet":
		t.gauntlet = true
	case values[0] != "roundrobin" && values[0] != "round-robin":
		return errors.New("assay plays round robins and gauntlets")
	}
	return nil
}

func variant(t *translation, values []string) error {
	switch {
	case len(values) == 0:
		return errors.New("want standard or fischerandom")
	case values[0] == "fischerandom":
		t.note("fischerandom: a book of Chess960 positions is enough; assay sets UCI_Chess960 itself")
	case values[0] != "standard":
		return errors.New("assay plays chess and Chess960")
	}
	return nil
}
