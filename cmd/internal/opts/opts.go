// Package opts has what commands that play games share: their options, in parts that a command puts together, and the
// file assay.toml, which gives options values.
//
// To add an option of one command, add a field and a flag to that command. To add one that several share, add them to
// Play, to the part of its heading; it may stand in assay.toml if the part says so. Start reading at Play.
package opts

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"
)

// Headings of the help, in its order. Flags without a heading stand below Others.
const (
	OfRun          = "Run"
	OfPlayers      = "Players"
	OfLimits       = "Limits"
	OfTest         = "Test"
	OfOpenings     = "Openings"
	OfAdjudication = "Adjudication"
	OfMachines     = "Machines"
	Others         = "Output and others"
)

var headings = []string{OfRun, OfPlayers, OfLimits, OfTest, OfOpenings, OfAdjudication, OfMachines, Others}

// Annotations of a flag: its heading, and the kind of settings that it replaces in assay.toml, where it may stand.
const (
	headingKey = "assay_heading"
	kindKey    = "assay_kind"
)

// Add adds flags to a command, below a heading of its help.
func Add(fs *pflag.FlagSet, heading string, define func(*pflag.FlagSet)) {
	part := pflag.NewFlagSet("", pflag.ContinueOnError)
	part.SortFlags = false
	define(part)
	part.VisitAll(func(f *pflag.Flag) {
		fs.AddFlag(f)
		_ = fs.SetAnnotation(f.Name, headingKey, []string{heading}) // it is there
	})
}

// inProject lets flags stand in assay.toml. One that is given replaces all settings there of the same kind.
func inProject(fs *pflag.FlagSet, kind string, names ...string) {
	for _, name := range names {
		if err := fs.SetAnnotation(name, kindKey, []string{kind}); err != nil {
			panic(err) // there is no such flag
		}
	}
}

// kindOf returns the kind of a setting; empty if it may not stand in assay.toml.
func kindOf(f *pflag.Flag) string {
	if f == nil || f.Annotations[kindKey] == nil {
		return ""
	}
	return f.Annotations[kindKey][0]
}

// SetDefault gives a flag another default.
func SetDefault(fs *pflag.FlagSet, name string, value any) {
	f := fs.Lookup(name)
	if err := f.Value.Set(fmt.Sprint(value)); err != nil {
		panic(fmt.Sprintf("flag %s: %v", name, err))
	}
	f.DefValue = f.Value.String()
}

// Names lists the names of flags.
func Names(fs *pflag.FlagSet) (list []string) {
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			list = append(list, f.Name)
		}
	})
	return list
}

// Grouped returns the flags of a command below their headings, in the order of the source.
func Grouped(all *pflag.FlagSet) (list []*pflag.FlagSet) {
	defer func(sorted bool) { all.SortFlags = sorted }(all.SortFlags)
	all.SortFlags = false
	for _, heading := range headings {
		group := pflag.NewFlagSet(heading, pflag.ContinueOnError)
		group.SortFlags = false
		all.VisitAll(func(f *pflag.Flag) {
			if of := f.Annotations[headingKey]; of == nil && heading == Others || slices.Equal(of, []string{heading}) {
				group.AddFlag(f)
			}
		})
		if group.HasAvailableFlags() {
			list = append(list, group)
		}
	}
	return list
}
