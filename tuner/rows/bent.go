package rows

import (
	"slices"

	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/eval/formula"
	"github.com/assay-chess/assay/tuner/internal/autodiff"
)

// Bend says how the rows of a store are evaluated that are not linear: which sums of terms
// the entries of a row make, and what the formula does with them. The entries of such a store
// name counted terms: a term of a channel that counts each side is two of them.
type Bend struct {
	Formula  *formula.Formula
	Machines *autodiff.Pool
	Slots    []slot
	Counted  []counted // what a counted term stands for
	Phase    int       // the input that is the phase; -1 if none is
	Jumps    []int     // where the value may jump, see formula.Machine.Near
	Kinks    []int     // where its slope may
	at       [][2]int  // counted terms by term: White's or both sides', and Black's; -1
}

// slot is a sum of terms, or two: of middlegame values and of endgame values. MG and EG are
// the inputs of the formula that read them, -1 if none does.
type slot struct{ MG, EG int }

// counted is a term as entries count it.
type counted struct {
	Term uint16
	Slot uint16
}

// NewBend describes rows whose value is a formula of channels, to which terms belong by index.
func NewBend(f *formula.Formula, channels []formula.Channel, channel []int) *Bend {
	b := &Bend{Formula: f, Machines: autodiff.NewPool(f), Phase: -1, Jumps: f.Jumps(), Kinks: f.Kinks()}
	slots := make([][2]int, len(channels))
	for c, ch := range channels {
		slots[c] = [2]int{len(b.Slots), -1}
		b.Slots = append(b.Slots, slot{-1, -1})
		if ch.Sides {
			slots[c][1] = len(b.Slots)
			b.Slots = append(b.Slots, slot{-1, -1})
		}
	}
	for i, x := range f.Inputs {
		if x.Channel == formula.Phase {
			b.Phase = i
			continue
		}
		s := &b.Slots[slots[x.Channel][0]]
		if x.Black {
			s = &b.Slots[slots[x.Channel][1]]
		}
		if x.Endgame {
			s.EG = i
		} else {
			s.MG = i
		}
	}
	for t, c := range channel {
		at := [2]int{-1, -1}
		for side, slot := range slots[c] {
			if slot >= 0 {
				at[side] = len(b.Counted)
				b.Counted = append(b.Counted, counted{uint16(t), uint16(slot)})
			}
		}
		b.at = append(b.at, at)
	}
	return b
}

// bendOf returns how the rows of a model are evaluated; nil if they are linear.
func bendOf(m *eval.Model) *Bend {
	if m.Bend == nil {
		return nil
	}
	channel := make([]int, len(m.Terms))
	for t := range channel {
		channel[t] = m.Bend.Channel(t)
	}
	return NewBend(m.Bend.Formula, m.Bend.Channels, channel)
}

// Entries appends the entries of a term that is counted for White, or for both sides, and for Black.
func (b *Bend) Entries(entries []Entry, term uint16, white, black float32) []Entry {
	counts := [2]float32{white, black}
	for side, at := range b.at[term] {
		if at >= 0 && counts[side] != 0 {
			entries = append(entries, Entry{uint16(at), counts[side]})
		}
	}
	return entries
}

// count makes entries of counted terms ones of terms, White's minus Black's, in place.
func (b *Bend) count(entries []Entry) []Entry {
	out := entries[:0]
	for _, e := range entries {
		c := b.Counted[e.Term]
		if int(e.Term) == b.at[c.Term][1] {
			e.Count = -e.Count
		}
		e.Term = c.Term
		if n := len(out); n > 0 && out[n-1].Term == e.Term {
			out[n-1].Count += e.Count
			continue
		}
		out = append(out, e)
	}
	return slices.DeleteFunc(out, func(e Entry) bool { return e.Count == 0 })
}
