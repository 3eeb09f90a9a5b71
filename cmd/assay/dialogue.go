package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// dialogue is a game between a program and a person.
type dialogue interface {
	board() string
	over() string           // who has won, empty as long as nobody has
	humanTurn() bool        // whether the person is to move
	answer() string         // makes the program's move
	play(text string) error // makes the person's
}

// runDialogue plays until the game is over or there is nothing more to read.
func runDialogue(cmd *cobra.Command, d dialogue) error {
	out, lines := cmd.OutOrStdout(), bufio.NewScanner(cmd.InOrStdin())
	for {
		end := d.over()
		switch {
		case end != "":
			_, err := fmt.Fprintf(out, "%s%s\n", d.board(), end)
			return err
		case cmd.Context().Err() != nil:
			return cmd.Context().Err()
		case !d.humanTurn():
			fmt.Fprintf(out, "machine: %s\n", d.answer())
			continue
		}
		fmt.Fprintf(out, "%syour move: ", d.board())
		if !lines.Scan() {
			fmt.Fprintln(out, "the game is left")
			return lines.Err()
		}
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		if err := d.play(text); err != nil {
			fmt.Fprintln(out, err)
		}
	}
}
