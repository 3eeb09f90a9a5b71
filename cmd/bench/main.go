// Command bench measures the speed of assay beside other programs, for .ci/bench. Each row of
// its table is a job that assay and its peers do in turn, round after round, on the same
// machine. It counts work per second of processor time, not of the clock, so that other work
// on the machine matters little, and states ratios with 95 % intervals.
//
//	bench run -assay PROGRAM -tests FOLDER -out TABLE.json [-rounds N] [-rows REGEXP]
//	bench compare A.json B.json
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"time"
)

// savedTable is what a run writes.
type savedTable struct {
	Version string     `json:"version"` // of assay
	Commit  string     `json:"commit"`
	Build   string     `json:"build"`
	Date    string     `json:"date"`
	Rounds  int        `json:"rounds"`
	Rows    []savedRow `json:"rows"`
}

// savedRow is a row: assay's rates first, then those of the peers.
type savedRow struct {
	Name  string      `json:"name"`
	Unit  string      `json:"unit"`
	Sides []savedSide `json:"sides"`
}

// savedSide has the rate of each round, or why there is none.
type savedSide struct {
	Name    string    `json:"name"`
	Rates   []float64 `json:"rates,omitempty"`
	Missing string    `json:"missing,omitempty"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: bench run -assay PROGRAM -tests FOLDER -out TABLE.json [-rounds N] [-rows REGEXP], or bench compare A.json B.json")

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "compare":
		return compareFiles(args[1], args[2])
	case len(args) > 0 && args[0] == "run":
		return measureAll(args[1:])
	}
	return errUsage
}

func measureAll(args []string) error {
	var tools tools
	flags := flag.NewFlagSet("bench run", flag.ContinueOnError)
	flags.StringVar(&tools.assay, "assay", "", "the program assay")
	flags.StringVar(&tools.tests, "tests", "", "folder of the compiled tests eval.test, dataset.test and convert.test")
	flags.StringVar(&tools.positions, "positions", "", "data set to tune on")
	flags.Float64Var(&tools.positionRows, "position-rows", 0, "its number of rows")
	out := flags.String("out", "", "file for the table")
	rounds := flags.Int("rounds", 10, "rounds, at least 2")
	only := flags.String("rows", "", "regular expression of the rows to measure")
	table := savedTable{Date: time.Now().UTC().Format(time.RFC3339)}
	flags.StringVar(&table.Version, "version", "", "the version of assay, to be saved")
	flags.StringVar(&table.Commit, "commit", "", "its commit, to be saved")
	flags.StringVar(&table.Build, "build", runtime.Version(), "how it was built, to be saved")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	if *out == "" || tools.assay == "" || *rounds < 2 || flags.NArg() > 0 {
		return errUsage
	}
	if tools.work, err = os.MkdirTemp("", "assay-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(tools.work)
	table.Rounds = *rounds
	fmt.Println(header)
	for _, r := range tools.rows() {
		if !pattern.MatchString(r.name) {
			continue
		}
		saved := r.measure(*rounds)
		saved.print(os.Stdout)
		table.Rows = append(table.Rows, saved)
		if err := table.save(*out); err != nil { // after each row: a run takes minutes
			return err
		}
	}
	return nil
}

func (t *savedTable) save(path string) error {
	text, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func readTable(path string) (t savedTable, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return t, fmt.Errorf("%s is no table of .ci/bench: %w", path, err)
	}
	return t, nil
}

func compareFiles(a, b string) error {
	before, err := readTable(a)
	if err != nil {
		return err
	}
	after, err := readTable(b)
	if err != nil {
		return err
	}
	return compare(os.Stdout, before, after)
}
