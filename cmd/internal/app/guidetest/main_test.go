package guidetest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assay-chess/assay/cmd/internal/app"
)

// TestMain puts the test binary itself into the path as assay.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"assay": app.Main})
}

const exitDone = 0

// call runs one command line in this process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = app.Run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// quotedFields splits a command line at spaces outside single quotes.
func quotedFields(text string) (list []string) {
	for i, part := range strings.Split(text, "'") {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.Fields(part)...)
	}
	return list
}
