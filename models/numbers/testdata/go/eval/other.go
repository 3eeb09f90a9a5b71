//go:build minnow_other
// +build minnow_other

package eval

const Tempo = 1000
