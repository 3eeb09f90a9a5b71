// Command bench measures the speed of assay beside other programs, for .ci/bench. Each row of
// its table is a job that assay and its peers do in turn, round after round, on the same
// machine. It counts work per second of CPU time, not of the clock, so that other work
// on the machine matters little, and prints ratios with 95 % intervals. Every rate goes to a
// file in the format of Go benchmarks, so that benchstat compares two runs. With -runners, for .ci/runners, it has
// assay and other runners play the same matches.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	var tools tools
	flag.StringVar(&tools.assay, "assay", "", "the program assay")
	flag.StringVar(&tools.positions, "positions", "", "data set to tune on")
	flag.Float64Var(&tools.positionRows, "position-rows", 0, "its number of rows")
	out := flag.String("out", "", "file for the rates")
	about := flag.String("about", "", "first lines of this file, as \"key: value\"")
	rounds := flag.Int("rounds", 10, "rounds, at least 2")
	flag.StringVar(&tools.engine, "runners", "", "measure matches beside other runners instead; this engine sleeps")
	only := flag.String("rows", "", "regular expression of the rows to measure")
	flag.Parse()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	if (*out == "") == (tools.engine == "") || tools.assay == "" || *rounds < 2 || flag.NArg() > 0 {
		return errors.New("usage: bench -assay PROGRAM (-out FILE or -runners ENGINE) [-rounds N] [-rows REGEXP]")
	}
	if tools.work, err = os.MkdirTemp("", "assay-bench"); err != nil {
		return err
	}
	defer os.RemoveAll(tools.work)
	if tools.engine != "" {
		playAll(&tools, pattern, *rounds, os.Stdout)
		return nil
	}
	log, err := os.Create(*out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	fmt.Fprintln(log, *about)
	fmt.Println("row\trate a CPU-second, median\tratio of assay to the peer, 95 %")
	for _, r := range tools.rows() {
		if pattern.MatchString(r.name) {
			r.measure(*rounds)
			r.print(os.Stdout)
			r.log(log)
		}
	}
	return nil
}
