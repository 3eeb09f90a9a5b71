package translate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// limitKeys are the limits in the order in which they are written.
var limitKeys = []string{"tc", "movetime", "nodes", "depth"}

// command puts the command together.
func (t *translation) command() (*Command, error) {
	if len(t.engines) < 2 {
		return nil, fmt.Errorf("want two engines or more (-engine cmd=...), got %d", len(t.engines))
	}
	list := make([]engine, len(t.engines))
	for i, e := range t.engines {
		list[i] = e.with(t.each)
		if list[i].dir != "" {
			t.note("dir=%s: assay starts engines in the current folder; give the path of what the engine reads, or a script that changes the folder", list[i].dir)
		}
	}
	limits, own, err := t.limits(list)
	if err != nil {
		return nil, err
	}
	c := &Command{Args: []string{"match"}}
	for i, e := range list {
		player, err := e.player(own[i])
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, player)
	}
	c.Args = append(c.Args, limits...)
	c.Args = append(c.Args, "--games", strconv.FormatUint(t.total(), 10))
	if t.gauntlet {
		c.Args = append(c.Args, "--gauntlet")
	}
	c.Args = append(c.Args, t.flags...)
	// assay adjudicates unless it is told not to; the other runners do the opposite.
	if !t.win {
		c.Args = append(c.Args, "--win-plies", "0")
	}
	c.Notes = slices.Compact(t.notes)
	return c, nil
}

// total is the number of games, which assay plays in pairs.
func (t *translation) total() uint64 {
	n, encounters := t.rounds*t.games, uint64(1)
	if players := uint64(len(t.engines)); t.gauntlet {
		encounters = players - 1
	} else {
		encounters = players * (players - 1) / 2
	}
	n *= encounters
	if n%2 == 1 {
		n++
		t.note("assay plays pairs of games: %d", n)
	}
	return n
}

// limits returns the flags that limit all players' moves, and the limits that a player has
// by itself.
func (t *translation) limits(list []engine) (flags []string, own [][]string, err error) {
	own = make([][]string, len(list))
	for _, key := range limitKeys {
		values := make([]string, len(list))
		for i, e := range list {
			values[i] = e.limits[key]
		}
		distinct := slices.Compact(slices.Clone(values))
		switch {
		case len(distinct) == 1 && values[0] == "": // no engine has it
		case len(distinct) == 1:
			flags = append(flags, "--"+key, values[0])
		case key == "nodes" || key == "depth":
			for i, v := range values {
				if v != "" {
					own[i] = append(own[i], key)
				}
			}
		case len(list) == 2 && !slices.Contains(values, ""):
			flags = append(flags, "--"+key, strings.Join(values, ","))
		default:
			return nil, nil, fmt.Errorf("%s differs between the engines in a way that assay cannot play: %s", key, strings.Join(values, " "))
		}
	}
	if len(flags) == 0 && slices.ContainsFunc(own, func(keys []string) bool { return len(keys) == 0 }) {
		return nil, nil, fmt.Errorf("no limit: give tc=8+0.08, st=0.1, nodes=5000 or depth=8 (in -each or for each -engine)")
	}
	margin := ""
	for _, e := range list {
		if e.margin != "" {
			margin = e.margin
		}
	}
	if margin != "" {
		flags = append(flags, "--time-margin", margin+"ms")
	}
	return flags, own, nil
}
