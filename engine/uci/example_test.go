package uci_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/assay-chess/assay/engine/uci"
	"github.com/assay-chess/assay/internal/historic/shannon"
)

// A Server makes a UCI program of any player: this one plays its first legal move. The
// commands come from a GUI, usually over standard input.
func ExampleServer_Serve() {
	commands := strings.NewReader("isready\nposition startpos moves e2e4 a7a5\ngo depth 1\nquit\n")
	s := &uci.Server{Name: "first-move", Author: "me", Player: shannon.NewFirst()}
	if err := s.Serve(context.Background(), commands, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// readyok
	// bestmove b1c3
}
