//go:build experiment

package eval

func init() { deep = true }
