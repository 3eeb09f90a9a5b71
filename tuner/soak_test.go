//go:build soak

package tuner

func init() { soak = true }
