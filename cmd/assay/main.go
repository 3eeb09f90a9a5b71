// Command assay generates self-play data for a chess engine, tunes its evaluation on them, and proves the
// gain with matches. Its subcommands are in internal/app and the packages beside that. See cmd/README.md.
package main

import "github.com/assay-chess/assay/cmd/internal/app"

func main() { app.Main() }
