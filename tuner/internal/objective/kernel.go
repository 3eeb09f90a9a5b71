package objective

import (
	"math"
	"unsafe"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/tuner/rows"
)

// lookup is a table indexed by a uint16 code or term without a bounds check.
// Only its first elements are ever touched.
type lookup = [1 << 16]float64

// dots writes the sums of w over each row's codes to out. Two rows of equal
// length are summed side by side and codes are read four at a time, because
// reading is what bounds this loop. Rows that are not wanted may be left out; nil wants all.
func dots(codes []uint16, runs []rows.Run, w *lookup, out []float64, wanted []bool) {
	at := 0
	for _, r := range runs {
		n := int(r.Length)
		rows := out[:r.Rows]
		out = out[r.Rows:]
		for ; len(rows) >= 2; at += 2 {
			if wanted != nil && !wanted[at] && !wanted[at+1] {
				codes, rows = codes[2*n:], rows[2:]
				continue
			}
			one := codes[:n]
			two := codes[n : 2*n][:len(one)]
			codes = codes[2*n:]
			var a, b, c, d float64
			j := 0
			for ; j+4 <= n; j += 4 {
				x, y := four(one, j), four(two, j)
				a += w[uint16(x)]
				b += w[uint16(x>>16)]
				c += w[uint16(y)]
				d += w[uint16(y>>16)]
				a += w[uint16(x>>32)]
				b += w[x>>48]
				c += w[uint16(y>>32)]
				d += w[y>>48]
			}
			for ; j < n; j++ {
				a += w[one[j]]
				c += w[two[j]]
			}
			rows[0], rows[1] = a+b, c+d
			rows = rows[2:]
		}
		if len(rows) > 0 {
			a := 0.0
			for _, c := range codes[:n] {
				a += w[c]
			}
			codes = codes[n:]
			rows[0] = a
			at++
		}
	}
}

// four returns codes[j:j+4] in one word, in the order of the machine, which is
// of no matter where they are added up. The caller has made sure of j+4.
func four(codes []uint16, j int) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(codes)), 2*j))
}

// scatter adds each row's v to g at the row's codes.
func scatter(codes []uint16, runs []rows.Run, v []float64, g *lookup) {
	for _, r := range runs {
		n := int(r.Length)
		rows := v[:r.Rows]
		v = v[r.Rows:]
		for _, x := range rows {
			row := codes[:n]
			codes = codes[n:]
			for len(row) >= 4 {
				g[row[0]] += x
				g[row[1]] += x
				g[row[2]] += x
				g[row[3]] += x
				row = row[4:]
			}
			for _, c := range row {
				g[c] += x
			}
		}
	}
}

const (
	nodesPerUnit = 16
	nodeReach    = 40   // beyond, e^-|z| is nothing beside 1
	nodeCount    = 2048 // a power of two above 2*reach*perUnit
)

// node is the Taylor polynomial of ln(1+e^z) around one of the points of a grid. Within half a step of the grid
// its error is below 1e-15, and its derivative's, the logistic function's, below 1e-13.
type node [8]float64

var nodes = func() (t [nodeCount]node) {
	// The k-th derivative of the logistic function s is a polynomial in s, because s' = s - s^2.
	var derivative [8][9]float64
	derivative[1][1] = 1
	for k := 2; k < len(derivative); k++ {
		for j, v := range derivative[k-1][:8] {
			derivative[k][j] += num.Rounded(float64(j) * v)
			derivative[k][j+1] -= num.Rounded(float64(j) * v)
		}
	}
	for i := range 2*nodeReach*nodesPerUnit + 1 {
		z := float64(i)/nodesPerUnit - nodeReach
		s, factorial := Sigmoid(z), 1.0
		t[i][0] = math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
		for k := 1; k < len(derivative); k++ {
			factorial *= float64(k)
			for j := len(derivative[k]) - 1; j >= 0; j-- {
				t[i][k] = num.Rounded(t[i][k]*s) + derivative[k][j]
			}
			t[i][k] /= factorial
		}
	}
	return t
}()

// crossEntropy turns evaluations x in centipawns into the derivatives of the rows' weighted cross-entropies
// with respect to x, and returns the weighted sum of these. It does for many rows what CrossEntropy.at does for
// one: loss and slope of a target y at z = k x are ln(1+e^z) - y z and its derivative, and a table of
// polynomials has neither exponential nor division.
func crossEntropy(k float64, x []float64, y, omega []float32) float64 {
	const big = 3 << 51 // adding it leaves the whole part in the low bits
	total := 0.0
	y, omega = y[:len(x)], omega[:len(x)]
	for i, xi := range x {
		z := k * xi
		near, beyond := z, 0.0
		if z > nodeReach {
			near, beyond = nodeReach, z-nodeReach
		} else if z < -nodeReach {
			near = -nodeReach
		}
		t := num.Rounded(near*nodesPerUnit) + big
		c := &nodes[(math.Float64bits(t)+nodeReach*nodesPerUnit)%nodeCount]
		d := near - num.Rounded((t-big)*(1.0/nodesPerUnit))
		d2 := d * d
		d4 := d2 * d2
		ln := (c[0] + num.Rounded(c[1]*d)) + num.Rounded(d2*(c[2]+num.Rounded(c[3]*d))) +
			num.Rounded(d4*((c[4]+num.Rounded(c[5]*d))+num.Rounded(d2*(c[6]+num.Rounded(c[7]*d))))) + beyond
		p := (c[1] + num.Rounded(2*c[2]*d)) + num.Rounded(d2*(num.Rounded(3*c[3])+num.Rounded(4*c[4]*d))) +
			num.Rounded(d4*((num.Rounded(5*c[5])+num.Rounded(6*c[6]*d))+num.Rounded(d2*(7*c[7]))))
		o, target := float64(omega[i]), float64(y[i])
		total += num.Rounded(o * (ln - num.Rounded(target*z)))
		x[i] = o * k * (p - target)
	}
	return total
}

// outerPlain adds h * v v' to the rows of m, the upper triangle of a symmetric
// matrix packed as base says, v given by ascending indices. Two lines of the
// matrix are worked on together, because they read the same part of v.
func outerPlain(index []uint16, value []float64, h float64, m []float64, base []int) {
	value = value[:len(index)]
	i := 0
	for ; i+1 < len(index); i += 2 {
		t, u := index[i], index[i+1]
		f, g := h*value[i], h*value[i+1]
		one := (*lookup)(m[base[t]:])
		two := (*lookup)(m[base[u]:])
		one[t] += num.Rounded(f * value[i])
		one[u] += num.Rounded(f * value[i+1])
		two[u] += num.Rounded(g * value[i+1])
		tail := index[i+2:]
		rest := value[i+2:][:len(tail)]
		for j, c := range tail {
			x := rest[j]
			one[c] += num.Rounded(f * x)
			two[c] += num.Rounded(g * x)
		}
	}
	if i < len(index) {
		t := index[i]
		m[base[t]+int(t)] += num.Rounded(h * value[i] * value[i])
	}
}

// outerTwoPlain is outerPlain for two matrices with their elements side by side.
func outerTwoPlain(index []uint16, value []float64, h [2]float64, m []float64, base []int) {
	for i, t := range index {
		f, g := h[0]*value[i], h[1]*value[i]
		line := m[2*base[t]:]
		for j, c := range index[i:] {
			x, at := value[i+j], line[2*int(c):][:2]
			at[0] += num.Rounded(f * x)
			at[1] += num.Rounded(g * x)
		}
	}
}
