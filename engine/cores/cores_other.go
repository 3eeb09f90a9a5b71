//go:build !linux

package cores

// Allowed returns ErrUnsupported.
func Allowed() ([]int, error) { return nil, ErrUnsupported }

// Pin returns ErrUnsupported.
func Pin(int) (release func(), err error) { return nil, ErrUnsupported }

func machineCores() int { return 0 }

func runnable() (int, bool) { return 0, false }
