package cores

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// Level returns the highest level of builds for amd64 that this processor runs, "v1" to "v4"
// as in GOAMD64, and "" on other processors.
func Level() string {
	if runtime.GOARCH != "amd64" {
		return ""
	}
	x := &cpu.X86
	switch {
	case !(x.HasCX16 && x.HasPOPCNT && x.HasSSE3 && x.HasSSSE3 && x.HasSSE41 && x.HasSSE42):
		return "v1"
	case !(x.HasAVX && x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasF16C && x.HasFMA &&
		x.HasLZCNT && x.HasMOVBE && x.HasOSXSAVE):
		return "v2"
	case !(x.HasAVX512F && x.HasAVX512BW && x.HasAVX512CD && x.HasAVX512DQ && x.HasAVX512VL):
		return "v3"
	}
	return "v4"
}
