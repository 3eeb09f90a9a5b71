package cli

import (
	"fmt"
	"strconv"

	"github.com/assay-chess/assay/engine/uci/sandbox"
)

// Sandbox is the value of a flag --sandbox: the memory of a sandbox, in MB; 0: there is none.
type Sandbox int

// SandboxHelp describes the flag.
const SandboxHelp = "run every foreign engine in a sandbox with this much memory, in MB (default: with your rights)"

// Set reads the memory. A sandbox in which no program starts is an error.
func (s *Sandbox) Set(text string) error {
	n, err := strconv.Atoi(text)
	if *s = Sandbox(n); err != nil {
		return fmt.Errorf("want a number of MB, such as %d", sandbox.DefaultMemory)
	}
	return s.Limits().Check()
}

// Limits returns the limits of the sandbox.
func (s *Sandbox) Limits() *sandbox.Limits { return &sandbox.Limits{Memory: int(*s)} }

// String returns the number.
func (s *Sandbox) String() string { return strconv.Itoa(int(*s)) }

// Type names the type in help texts.
func (*Sandbox) Type() string { return "int" }
