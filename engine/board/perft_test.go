package board

import "testing"

func BenchmarkPerft(b *testing.B) {
	p := StartPosition()
	n := uint64(0)
	for b.Loop() {
		n += Perft(&p, 5)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
}
