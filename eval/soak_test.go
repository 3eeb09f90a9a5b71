//go:build soak

package eval

func init() { deep = true }
