// Package guide has the pages of assay guide, for authors of engines. Tests run the commands in them.
package guide

import "embed"

// Pages are the pages, as Markdown: NAME.md.
//
//go:embed *.md
var Pages embed.FS

// Names are the names of the pages, in the order to read them.
var Names = []string{"tune-my-engine", "test-my-patch", "data-with-my-engine", "tune-my-search", "which-of-my-ideas",
	"share-machines"}
