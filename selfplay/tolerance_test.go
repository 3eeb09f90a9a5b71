package selfplay

import (
	"math"
	"math/big"
	"testing"
)

func TestBinomialTail(t *testing.T) {
	for _, p := range []float64{0.02, 0.001, 0.3} {
		for _, n := range []int64{1, 2, 8, 64, 256} {
			for k := int64(math.Ceil(float64(n)*p)) + 1; k <= min(n, int64(float64(n)*p)+12); k++ {
				want := 0.0
				for i := k; i <= n; i++ {
					ways, _ := new(big.Int).Binomial(n, i).Float64()
					want += ways * math.Pow(p, float64(i)) * math.Pow(1-p, float64(n-i))
				}
				if got := binomialTail(k, n, p); math.Abs(got-want) > 1e-10*want {
					t.Errorf("%d of %d at %v: %v, want %v", k, n, p, got, want)
				}
			}
		}
	}
}

func TestTolerance(t *testing.T) {
	for _, tt := range []struct {
		tolerance       Tolerance
		forfeits, games int64
		tooMany         bool
	}{
		{Tolerance{}, 0, 2, false},
		{Tolerance{}, 1, 2, false},
		{Tolerance{}, 2, 2, true}, // 0.0004
		{Tolerance{}, 2, 4, false},
		{Tolerance{}, 3, 4, true},
		{Tolerance{}, 20, 1000, false}, // the tolerated share
		{Tolerance{}, 34, 1000, false}, // 0.0022
		{Tolerance{}, 36, 1000, true},  // 0.0007
		{Tolerance{}, 8, 8, true},
		{Tolerance{Recover: true}, 8, 8, false},
		{Tolerance{MaxForfeits: 0.5}, 8, 16, false},
		{Tolerance{MaxForfeits: 1}, 16, 16, false},
		{Tolerance{MaxForfeits: -1}, 0, 1000, false},
		{Tolerance{MaxForfeits: -1}, 1, 1000, true},
	} {
		if got := tt.tolerance.Forfeits(tt.forfeits, tt.games); got != tt.tooMany {
			t.Errorf("%+v: %d of %d: %t", tt.tolerance, tt.forfeits, tt.games, got)
		}
	}
	for _, tt := range []struct {
		void, counted int64
		slots         int
		unfit         bool
	}{
		{0, 10, 1, false},
		{2, 10, 2, false}, // one pause of the machine
		{3, 10, 2, true},
		{9, 991, 2, false},
		{11, 989, 2, true},
		{11, 989, 16, false},
	} {
		if got := (Tolerance{}).Void(tt.void, tt.counted, tt.slots); got != tt.unfit {
			t.Errorf("%d void, %d counted, %d slots: %t", tt.void, tt.counted, tt.slots, got)
		}
	}
}
