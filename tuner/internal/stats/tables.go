package stats

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/num"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/tuner/internal/objective"
	"github.com/assay-chess/assay/tuner/rows"
)

// Table is a set of terms; exactly one counts for every piece of a kind, such as a piece-square
// table: a constant moved from all of them to the kind's material coefficient changes no evaluation. Neither is
// identified alone, so each entry is reported as its difference from the table's mean, weighted by how often
// each entry occurs.
type Table struct {
	Name  string `json:"name"`
	Terms []int  `json:"-"`
	// Material is the term that counts the same pieces, or -1 if none does (the
	// king's table: there the mean cancels between the two sides).
	Material int       `json:"-"`
	MeanMG   float64   `json:"mean_mg"` // centipawns, under the fit
	MeanEG   float64   `json:"mean_eg"`
	MeanSEMG num.Float `json:"mean_se_mg"` // clustered standard errors, NaN (null) where not known
	MeanSEEG num.Float `json:"mean_se_eg"`
	// Centered are the differences from the means, in the order of Terms.
	Centered []CenteredTerm `json:"centered"`
}

// CenteredTerm is a term of a table as its difference from the table's mean, in
// centipawns, with clustered standard errors; NaN (null) where not known.
type CenteredTerm struct {
	Name string    `json:"name"`
	MG   float64   `json:"mg"`
	EG   float64   `json:"eg"`
	SEMG num.Float `json:"se_mg"`
	SEEG num.Float `json:"se_eg"`
}

// smallestTable is the number of terms below which a common prefix is no table.
const smallestTable = 3

// FindTables looks among terms of a group whose names differ only after the last dot for those whose counts
// sum, in every row, to the count of one material term, or to nothing. The data decide; names only suggest.
func FindTables(ctx context.Context, s *rows.Store, terms []rows.Term) ([]Table, error) {
	var m tableMatch
	var tables []Table
	m.table, tables = candidateTables(terms)
	var material []int
	m.column = make([]int, len(terms))
	for t := range terms {
		m.column[t] = -1
		if terms[t].Group == eval.GroupMaterial {
			m.column[t] = len(material)
			material = append(material, t)
		}
	}
	material = append(material, -1) // sums to nothing
	m.sums, m.pieces = make([]float32, len(tables)), make([]float32, len(material))
	m.used = make([]bool, len(tables))
	for k := range tables {
		for j := range material {
			m.same = append(m.same, [2]int{k, j})
		}
	}
	if err := s.EachRow(ctx, func(_, _ int, entries []rows.Entry) { m.row(entries) }); err != nil {
		return nil, err
	}
	var out []Table
	last := -1
	for _, p := range m.same {
		if k := p[0]; m.used[k] && k != last {
			tables[k].Material = material[p[1]]
			out = append(out, tables[k])
			last = k
		}
	}
	return out, nil
}

// tableMatch compares the sums of tables with the counts of material.
type tableMatch struct {
	table, column []int     // table and material column of each term, or -1
	sums, pieces  []float32 // of one row, by table and by column; the last column stays 0
	used          []bool
	same          [][2]int // tables and columns that no row distinguishes so far, in order
}

func (m *tableMatch) row(entries []rows.Entry) {
	clear(m.sums)
	clear(m.pieces)
	for _, e := range entries {
		if k := m.table[e.Term]; k >= 0 {
			m.sums[k] += e.Count
			m.used[k] = true
		}
		if k := m.column[e.Term]; k >= 0 {
			m.pieces[k] += e.Count
		}
	}
	for i := 0; i < len(m.same); i++ {
		if p := m.same[i]; m.sums[p[0]] != m.pieces[p[1]] {
			m.same = slices.Delete(m.same, i, i+1)
			i--
		}
	}
}

// candidateTables returns the candidate of each term, or -1, and the candidates in table order.
func candidateTables(terms []rows.Term) ([]int, []Table) {
	prefix := func(t rows.Term) string {
		i := strings.LastIndexByte(t.Name, '.')
		if i < 0 {
			return ""
		}
		return t.Group + "/" + t.Name[:i]
	}
	size := make(map[string]int)
	for _, t := range terms {
		size[prefix(t)]++
	}
	of := make([]int, len(terms))
	number := make(map[string]int)
	var tables []Table
	for i, t := range terms {
		p := prefix(t)
		of[i] = -1
		if p == "" || size[p] < smallestTable {
			continue
		}
		k, ok := number[p]
		if !ok {
			k = len(tables)
			number[p] = k
			tables = append(tables, Table{Name: p[strings.IndexByte(p, '/')+1:]})
		}
		of[i] = k
		tables[k].Terms = append(tables[k].Terms, i)
	}
	return of, tables
}

// Center fills in the table's centered values under fit and their errors. incidence says how often each term
// occurs; scale is the factor between theta and centipawns.
func (v *Covariance) Center(b *Table, terms []rows.Term, fit objective.Tapered, incidence []float64, scale float64) {
	total := 0.0
	for _, t := range b.Terms {
		total += incidence[t]
	}
	if total == 0 {
		return
	}
	q, none := v.o.Params, make([]float64, len(incidence))
	mean := objective.NewTapered(len(incidence))
	for _, t := range b.Terms {
		f := incidence[t] / total
		mean.MG[t], mean.EG[t] = f, f
	}
	b.MeanMG, b.MeanEG = mean.Dot(fit)
	// half returns the errors of the mean and of the centered values of one half of the terms.
	half := func(mean objective.Tapered, of []int, value float64, fit []float64) (num.Float, []num.Float) {
		a := make([]float64, q.N)
		q.Fold(mean, a)
		deviation := v.deviation(a)
		var out []num.Float
		for _, t := range b.Terms {
			out = append(out, num.Float(scale)*num.Float(deviation(of[t], (fit[t]-value)/scale)))
		}
		return num.Float(scale * v.contrast(a, value/scale)), out
	}
	var mg, eg []num.Float
	b.MeanSEMG, mg = half(objective.Tapered{MG: mean.MG, EG: none}, q.MG, b.MeanMG, fit.MG)
	b.MeanSEEG, eg = half(objective.Tapered{MG: none, EG: mean.EG}, q.EG, b.MeanEG, fit.EG)
	for i, t := range b.Terms {
		b.Centered = append(b.Centered, CenteredTerm{terms[t].Name, fit.MG[t] - b.MeanMG, fit.EG[t] - b.MeanEG, mg[i], eg[i]})
	}
}

// Incidence returns how often each term occurs: counted for both sides in the
// sample of positions, or else by the differences in the rows.
func Incidence(ctx context.Context, s *rows.Store) ([]float64, error) {
	out := make([]float64, s.Terms())
	if s.Seen != nil {
		for t, n := range s.Seen {
			out[t] = float64(n)
		}
		return out, nil
	}
	err := s.EachRow(ctx, func(_, _ int, entries []rows.Entry) {
		for _, e := range entries {
			out[e.Term] += math.Abs(float64(e.Count))
		}
	})
	return out, err
}
