package roster

import (
	"strings"
	"testing"
	"time"
)

func TestParseSource(t *testing.T) {
	for _, tt := range []struct{ spec, ref, built, identity string }{
		{"git:HEAD", "HEAD", "uci:/b/x", "git:abc make"},
		{"git:.", ".", "uci:/b/x", "git:abc make"},
		{"git:nodes=500:HEAD~2?Hash=16&Use NNUE=false", "HEAD~2", "uci:nodes=500:/b/x?Hash=16&Use NNUE=false", "git:abc make?Hash=16&Use NNUE=false:nodes=500"},
		{"git:timeout=5s:v1.0^{}", "v1.0^{}", "uci:timeout=5s:/b/x", "git:abc make"},
		{"git:main?Book='a & b'", "main", "uci:/b/x?Book='a & b'", "git:abc make?Book=a & b"},
	} {
		s, err := ParseSource(tt.spec)
		if err != nil {
			t.Errorf("%s: %v", tt.spec, err)
			continue
		}
		built, identity := s.Built("/b/x", "abc make")
		if !FromGit(tt.spec) || s.Ref != tt.ref || built != tt.built || identity != tt.identity {
			t.Errorf("%s: %q %q %q", tt.spec, s.Ref, built, identity)
		}
		if again, err := parseForeign(built); err != nil || again.format("/b/x") != built {
			t.Errorf("%s is built as %s: %v", tt.spec, built, err)
		}
	}
	for spec, want := range map[string]string{
		"git:":              "the commit is missing",
		"git:HEAD fast":     `"fast" after the commit`,
		"git:HEAD:nodes=50": "stand before the commit",
		"git:nodes=x:HEAD":  "nodes=x is not a number",
	} {
		if _, err := ParseSource(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
}

func TestDefaultsOfASource(t *testing.T) {
	s, err := ParseSource(WithTimeouts("git:HEAD?hash=64", time.Second, 0))
	if err != nil {
		t.Fatal(err)
	}
	s.SetDefault("Hash", "16")
	s.SetDefault("Threads", "1")
	if spec, _ := s.Built("/x", ""); spec != "uci:timeout=1s:/x?hash=64&Threads=1" {
		t.Error(spec)
	}
}
