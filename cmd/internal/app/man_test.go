//go:build man

package app

import (
	"flag"
	"os"
	"testing"

	"github.com/spf13/cobra/doc"

	"github.com/assay-chess/assay/cmd/internal/ui"
	"github.com/assay-chess/assay/internal/setup"
)

var manFolder = flag.String("man", "", "folder for the manual pages of a release")

// TestManPages writes the help of every command as manual pages of section 1, for .ci/release/build. It is
// a test, because what it needs is no part of the program.
//
//	go test -tags man ./cmd/internal/app -run TestManPages -man FOLDER
func TestManPages(t *testing.T) {
	folder := *manFolder
	if folder == "" {
		folder = t.TempDir()
	}
	root := newRootCommand()
	root.DisableAutoGenTag = true // it names the generator and the day
	header := &doc.GenManHeader{Section: "1", Source: ui.Version(), Manual: "assay"}
	setup.Check(t, doc.GenManTree(root, header, folder))
	pages, err := os.ReadDir(folder)
	if err != nil || len(pages) < 40 {
		t.Errorf("%d pages, %v", len(pages), err)
	}
}
