package durable

import (
	"regexp"
	"runtime"
	"testing"
)

func TestBuildTarget(t *testing.T) {
	want := "^" + runtime.GOARCH + "$"
	switch runtime.GOARCH {
	case "amd64":
		want = "^amd64/v[1-4]$"
	case "arm64":
		want = "^arm64/v[89]"
	}
	if got := BuildTarget(); !regexp.MustCompile(want).MatchString(got) {
		t.Errorf("%q does not match %s", got, want)
	}
}
