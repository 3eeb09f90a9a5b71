package machine

import (
	"fmt"
	"strings"
	"testing"
)

// TestTail: the last line that is not empty is kept, however much comes before it and in however many pieces.
func TestTail(t *testing.T) {
	var tail Tail
	for _, piece := range []string{strings.Repeat("noise\n", 1000), "segmentation ", "fault\n", "\n"} {
		fmt.Fprint(&tail, piece)
	}
	if got := tail.Last(); got != "segmentation fault" {
		t.Errorf("%q", got)
	}
	fmt.Fprint(&tail, strings.Repeat("x", 3*tailSize))
	if got := tail.Last(); got != strings.Repeat("x", tailSize) {
		t.Errorf("%d bytes of a long line", len(got))
	}
}
