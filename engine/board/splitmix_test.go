package board

import "testing"

// The numbers for the seed 1234567 are those of the reference implementation at
// https://prng.di.unimi.it/splitmix64.c.
func TestSplitMix64(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423,
		4593380528125082431, 16408922859458223821} {
		if got := SplitMix64(state); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
		state += SplitMix64Gamma
	}
}
