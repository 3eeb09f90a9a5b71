// Package guide has the pages of assay guide, for authors of engines. Tests run the commands in them.
package guide

import "embed"

// Pages are the pages, as Markdown: NAME.md.
//
//go:embed *.md
var Pages embed.FS
