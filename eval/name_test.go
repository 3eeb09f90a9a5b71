package eval

import (
	"strings"
	"testing"
)

func TestCheckName(t *testing.T) {
	for _, m := range Models() {
		for _, x := range m.Terms {
			for _, name := range []string{m.Name, x.Name, x.Group} {
				if err := CheckName(name); err != nil {
					t.Errorf("model %s: %v", m.Name, err)
				}
			}
		}
	}
	for _, name := range []string{"My Engine 1.0", "König", "psqt[3]/a", strings.Repeat("x", maxName)} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
	for name, want := range map[string]string{
		"": "empty", strings.Repeat("x", maxName+1): "129 bytes", " x": "blank", "x\n": "blank", "a\nb": "U+000A",
		"\x1b[2Jx": "U+001B",
		"a\u202eb": "U+202E", "a\x00b": "U+0000", "a\xffb": "not UTF-8", "a\u200bb": "U+200B", "a\u2028b": "U+2028",
	} {
		if err := CheckName(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", name, err, want)
		}
	}
}
