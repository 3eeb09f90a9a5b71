package durable

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// BuildTarget returns what this program was compiled for, such as "amd64/v1": GOARCH, and its
// level where it has one (GOAMD64, GOARM64). Builds of other targets play the same games,
// but may round standard errors otherwise, since Go fuses products and sums on some.
func BuildTarget() string {
	// GOMIPS64 and GOPPC64 are for both byte orders.
	level := "GO" + strings.ToUpper(strings.TrimSuffix(runtime.GOARCH, "le"))
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == level {
				return runtime.GOARCH + "/" + s.Value
			}
		}
	}
	return runtime.GOARCH
}
