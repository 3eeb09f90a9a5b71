//go:build !linux

package cores

// Allowed returns ErrUnsupported.
func Allowed() ([]int, error) { return nil, ErrUnsupported }

// Claim returns ErrUnsupported.
func Claim(int) (list []int, release func(), err error) { return nil, nil, ErrUnsupported }

// PinProcess returns false.
func PinProcess(pid, core int) bool { return false }

// Pin returns ErrUnsupported.
func Pin(int) (release func(), err error) { return nil, ErrUnsupported }

func machineCores() int { return 0 }

func runnable() (int, bool) { return 0, false }
