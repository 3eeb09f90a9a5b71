//go:build soak

package datatest

// Soak says that tests may take minutes, as in .ci/long.
const Soak = true
