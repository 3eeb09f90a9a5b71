package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-chess/assay/engine/board"
)

// Views tests, while rows are read for another purpose, whether scores are from White's view:
// with either side to move they must rise with the results, and agree with the score a ply later.
// Where positions are at hand, material is a third witness, of results without scores too. All is compared in standard
// errors by game, so that few games, or scores that say little, raise no alarm. The zero value is ready to use.
type Views struct {
	all     viewSums
	players map[string]*viewSums // whose games are tested one by one
	blind   bool                 // the side to move is not known

	runs GameRuns // of positions that name no game
	last struct { // position
		game uint64
		ply  uint16
		side board.Color
		x    float64
	}
}

// ViewFault is what Views found wrong.
type ViewFault struct {
	Kind    viewKind
	Players []string // whose scores are wrong; none: everybody's
	Text    string   // the evidence
	// Flipped says that scores were taken for the mover's and converted to White's, so that those
	// of OneSide were White's before.
	Flipped bool
}

// viewKind is a kind of fault; viewTexts explain them.
type viewKind int

// The kinds of faults. From uneven on they may only make scores less useful.
const (
	OneSide viewKind = iota + 1
	BothSides
	MoverResults
	MoverBoth  // scores and results
	mixedSigns // no view makes sense
	uneven     // they say much less with one side to move than with the other
	noRelation // material says more
	TwoScales  // of players whose pawns are not worth the same
)

var viewTexts = [...]string{
	OneSide:      "the scores%s are from the view of the side to move, not White's",
	BothSides:    "the scores%s contradict the results: one of them is from Black's view",
	MoverResults: "the results%s are from the view of the side to move, not White's",
	MoverBoth:    "the scores and results%s are from the view of the side to move, not White's",
	mixedSigns:   "the scores%s are not from White's view",
	uneven:       "the scores%s may have the wrong sign in a part of the rows",
	noRelation:   "the scores%s say nothing about the results",
	TwoScales:    "the scores%s have another scale than those beside them",
}

// Wrong reports whether the scores, or the results, mislead.
func (f *ViewFault) Wrong() bool { return f != nil && f.Kind < uneven }

// Error is the headline with its evidence.
func (f *ViewFault) Error() string {
	what, whose := viewTexts[f.Kind], ""
	if f.Kind == OneSide && f.Flipped {
		what = "the scores%s are from White's view, not from the side to move's"
	}
	for i, name := range f.Players {
		whose += fmt.Sprintf("%s%.60q", [2]string{" of ", ", "}[min(i, 1)], name)
	}
	return fmt.Sprintf(what+": %s", whose, f.Text)
}

// MarshalText makes it a string in JSON.
func (f *ViewFault) MarshalText() ([]byte, error) { return []byte(f.Error()), nil }

const (
	viewGroups  = 256 // of games, for standard errors
	viewPlayers = 128 // at most
)

// The variables of a row, squashed to -1..1.
const (
	viewScore = iota
	viewResult
	viewMaterial
	viewScoreSize
	viewMaterialSize
	viewVars
)

// viewPairs are the pairs of variables whose relation is of interest.
var viewPairs = [...][2]int{
	scoreResult: {viewScore, viewResult}, materialResult: {viewMaterial, viewResult},
	scoreMaterial: {viewScore, viewMaterial}, sizes: {viewScoreSize, viewMaterialSize},
}

const (
	scoreResult = iota
	materialResult
	scoreMaterial
	sizes
)

// moments are sums over the rows of a group of games.
type moments struct {
	n             float64
	sums, squares [viewVars]float64
	products      [len(viewPairs)]float64
}

// viewSums are the moments of rows with White to move and with Black to move, and of more lists.
type viewSums [6][]moments

// The lists after board.White and board.Black.
const (
	plies    = 2 + iota // pairs of scores of successive plies: White's as viewScore, Black's as viewResult
	scales              // logarithms of a score by what it is compared with, as viewScore
	unscored            // rows without a score with White to move, and in the next list with Black
)

func newViewSums(groups int) *viewSums {
	var s viewSums
	for i := range s {
		s[i] = make([]moments, groups)
	}
	return &s
}

func (s *viewSums) add(list int, game uint64, v *[viewVars]float64) {
	if s == nil {
		return
	}
	m := &s[list][game*0x9e3779b97f4a7c15>>32%uint64(len(s[list]))]
	m.n++
	for i, x := range v {
		m.sums[i] += x
		m.squares[i] += x * x
	}
	for i, p := range viewPairs {
		m.products[i] += v[p[0]] * v[p[1]]
	}
}

// addPly takes the scores of the side to move and of the ply before.
func (s *viewSums) addPly(game uint64, side board.Color, x, before float64) {
	if side == board.Black {
		x, before = before, x
	}
	s.add(plies, game, &[viewVars]float64{viewScore: x, viewResult: before})
}

// addScale takes a score and what it is compared with, unless they are small or far apart.
func (s *viewSums) addScale(game uint64, x, other float64) {
	if ratio := x / other; min(math.Abs(x), math.Abs(other)) >= 50 && ratio > 0.1 && ratio < 10 {
		s.add(scales, game, &[viewVars]float64{viewScore: math.Log(ratio)})
	}
}

// scale returns the mean logarithm of what addScale took, and its standard error by game.
func (s *viewSums) scale() (mean, se, n float64) {
	sum := 0.
	for _, m := range s[scales] {
		sum, n = sum+m.sums[viewScore], n+m.n
	}
	mean = sum / n
	for _, m := range s[scales] {
		se += math.Pow(m.sums[viewScore]-m.n*mean, 2)
	}
	return mean, math.Sqrt(se) / n, n
}

// variables are squashed so that a few large values do not decide.
func variables(score int16, result, material float64) [viewVars]float64 {
	squash := func(x float64) float64 { return x / (math.Abs(x) + 300) }
	x, m := squash(float64(score)), squash(material)
	return [viewVars]float64{x, 2*result - 1, m, math.Abs(x), math.Abs(m)}
}

func (v *Views) begin() {
	if v.players == nil {
		v.all, v.players = *newViewSums(viewGroups), map[string]*viewSums{}
	}
}

// Position takes the next row.
func (v *Views) Position(p *PositionRow) {
	l := &v.last
	v.runs.Next(p)
	v.begin()
	game, side, men := p.Game, p.Board.SideToMove(), material(&p.Board)
	if game == 0 {
		game = uint64(v.runs.Games)
	}
	x := variables(p.Score, float64(p.Result), men)
	if p.Score == NoScore {
		l.game = 0
		x[viewScore], x[viewScoreSize] = 0, 0
		v.all.add(unscored+int(side), game, &x)
		return
	}
	v.all.add(int(side), game, &x)
	v.all.addScale(game, float64(p.Score), men)
	if l.game == game && l.ply+1 == p.Ply && l.side != side {
		v.all.addPly(game, side, x[viewScore], l.x)
	}
	l.game, l.ply, l.side, l.x = game, p.Ply, side, x[viewScore]
}

// material is the usual count, White's minus Black's.
func material(p *board.Position) (cp float64) {
	for i, pawns := range [...]float64{board.Pawn: 1, board.Knight: 3, board.Bishop: 3, board.Rook: 5, board.Queen: 9} {
		t := board.PieceType(i)
		cp += 100 * pawns * float64(p.Pieces(board.White, t).Count()-p.Pieces(board.Black, t).Count())
	}
	return cp
}

// Game takes the next game.
func (v *Views) Game(g *GameRow) {
	v.begin()
	side := board.ToMove(g.Start, 0)
	players := [2]*viewSums{v.player(g.White), v.player(g.Black)}
	before := math.NaN()
	for i, s := range g.Scores {
		x := variables(s, float64(ResultOf(g.Result)), 0)
		if s == NoScore {
			x[viewScore] = math.NaN()
		} else {
			v.all.add(int(side), g.Game, &x)
			players[side].add(int(side), g.Game, &x)
		}
		if !math.IsNaN(before + x[viewScore]) {
			v.all.addPly(g.Game, side, x[viewScore], before)
			players[board.Black].addPly(g.Game, side, x[viewScore], before) // only Black's can be wrong
			if g.White != g.Black {
				players[side].addScale(g.Game, float64(s), float64(g.Scores[i-1]))
				players[side.Other()].addScale(g.Game, float64(g.Scores[i-1]), float64(s))
			}
		}
		before, side = x[viewScore], side.Other()
	}
}

func (v *Views) player(name string) *viewSums {
	if v.players[name] == nil && name != "" && len(v.players) < viewPlayers {
		v.players[name] = newViewSums(viewGroups / 4)
	}
	return v.players[name]
}

// Feature takes the next row of features, whose evaluation stands for material; unit is that
// of the set. The side to move is not known.
func (v *Views) Feature(f *FeatureRow, unit float64) {
	if f.Score == NoScore || f.Eval == NoEval {
		return
	}
	v.begin()
	v.blind = true
	x := variables(f.Score, float64(f.Result), float64(f.Eval)*DefaultUnit/cmp.Or(unit, DefaultUnit))
	v.all.add(int(board.White), max(f.Game, 1), &x)
}

// Fault returns the fault, or nil if there is none, or if the rows are too few to say.
func (v *Views) Fault() *ViewFault {
	if v.players == nil {
		return nil
	}
	var f *ViewFault
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(v.players)) {
		if p := v.players[name].judge(); p != nil && p.Kind == OneSide {
			f, wrong = p, append(wrong, name)
		}
	}
	if len(wrong) > 0 && len(wrong) < len(v.players) {
		f.Players = wrong
		return f
	}
	if all := v.all.judge(); all != nil {
		f = all
	}
	if f != nil && v.blind {
		f.Text = strings.Replace(f.Text, " with White to move", "", 1)
	}
	if f == nil {
		f = v.playersScale()
	}
	return f
}

// A difference of scales is named if it is beyond this logarithm, and by so many standard errors sure.
const (
	scaleApart = 0.3
	scaleSure  = 5
)

// playersScale returns a fault if a player's scores are larger or smaller than its opponents' of the plies beside them.
func (v *Views) playersScale() (f *ViewFault) {
	most := scaleApart
	for _, name := range slices.Sorted(maps.Keys(v.players)) {
		mean, se, n := v.players[name].scale()
		if size := math.Abs(mean); size > most && size >= scaleSure*se && n >= 100 {
			most = size
			f = &ViewFault{Kind: TwoScales, Players: []string{name}, Text: fmt.Sprintf(
				"they are %.2f times as large as the opponents' of the plies beside them (%.0f pairs)", math.Exp(mean), n)}
		}
	}
	return f
}

// Faults returns the faults of several data sets, each with its name, and at last a fault if the scores of two are far
// from equally large beside the same material.
func Faults(names []string, sets []*Views) (list []error) {
	for i, v := range sets {
		if f := v.Fault(); f != nil {
			list = append(list, fmt.Errorf("%s: %w", names[i], f))
		}
	}
	for i := 1; i < len(sets); i++ {
		if f := sets[i].apart(sets[0]); f != nil {
			f.Text += fmt.Sprintf(" of %.60q", names[0])
			return append(list, fmt.Errorf("%s: %w", names[i], f))
		}
	}
	return list
}

// apart returns a fault if two data sets have scores of different scales.
func (v *Views) apart(other *Views) *ViewFault {
	if v.players == nil || other.players == nil {
		return nil
	}
	mean, se, n := v.all.scale()
	first, firstSE, firstN := other.all.scale()
	size := math.Abs(mean - first)
	if !(size > scaleApart) || size < scaleSure*math.Hypot(se, firstSE) || min(n, firstN) < 100 {
		return nil
	}
	return &ViewFault{Kind: TwoScales, Text: fmt.Sprintf(
		"beside the same material they are %.2f times as large as those", math.Exp(mean-first))}
}

// relation is how two variables go together.
type relation struct {
	r  float64 // correlation
	se float64 // its standard error by game
	n  float64 // rows
}

func (r relation) z() float64 { return r.r / max(r.se, 1e-9) }

// relate returns how the pair of variables goes together over all lists. The error is the error of a
// sum over groups of games whose mean is not subtracted, so that no correlation is surer than the
// root of their number: a few games are never sure.
func relate(pair int, lists ...[]moments) (out relation) {
	var all moments
	for _, list := range lists {
		for i := range list {
			all.n += list[i].n
			for k := range viewVars {
				all.sums[k] += list[i].sums[k]
				all.squares[k] += list[i].squares[k]
			}
		}
	}
	a, b := viewPairs[pair][0], viewPairs[pair][1]
	meanA, meanB := all.sums[a]/all.n, all.sums[b]/all.n
	varA, varB := all.squares[a]/all.n-meanA*meanA, all.squares[b]/all.n-meanB*meanB
	if !(min(varA, varB) > 1e-9) { // one of them is constant
		return relation{n: all.n}
	}
	scale := all.n * math.Sqrt(varA*varB)
	sum, squares := 0., 0.
	for g := range lists[0] {
		u := 0.
		for _, list := range lists {
			m := &list[g]
			u += m.products[pair] - meanA*m.sums[b] - meanB*m.sums[a] + m.n*meanA*meanB
		}
		sum += u
		squares += u * u
	}
	return relation{sum / scale, math.Sqrt(squares) / scale, all.n}
}

// opposite reports whether two relations have opposite signs, each by the given number of standard
// errors.
func opposite(a, b relation, sure float64) bool {
	return a.r*b.r < 0 && min(math.Abs(a.z()), math.Abs(b.z())) >= sure && min(math.Abs(a.r), math.Abs(b.r)) >= 0.05
}

// judge compares scores with results, material and each other.
func (s *viewSums) judge() *ViewFault {
	white, black := s[board.White], s[board.Black]
	w, b, both := relate(scoreResult, white), relate(scoreResult, black), relate(scoreResult, white, black)
	next := relate(scoreResult, s[plies])
	wm, bm := relate(scoreMaterial, white), relate(scoreMaterial, black)
	mw, mb := relate(materialResult, white, s[unscored]), relate(materialResult, black, s[unscored+1])
	// Scores of successive plies agree even in a few games.
	turns := next.n >= 50 && next.z() <= -3 && next.r <= -0.3 || next.n >= 200 && next.z() <= -1.5 && next.r <= -0.5
	switch {
	case opposite(mw, mb, 3):
		kind := MoverResults
		if opposite(wm, bm, 3) {
			kind = MoverBoth
		}
		return &ViewFault{Kind: kind, Text: sides("the correlation of material and results", mw, mb)}
	case opposite(w, b, 3):
		return &ViewFault{Kind: oneSide(w), Text: sides("their correlation with the results", w, b)}
	case opposite(wm, bm, 4):
		return &ViewFault{Kind: oneSide(wm), Text: sides("their correlation with material", wm, bm)}
	case turns && !(w.z() >= 3 && b.z() >= 3):
		return &ViewFault{Kind: OneSide, Text: fmt.Sprintf(
			"the correlation of a score with the next ply's is %+.2f (%.0f pairs)", next.r, next.n)}
	case both.z() <= -5 && both.r <= -0.1:
		f := &ViewFault{Kind: BothSides, Text: sides("their correlation with the results", w, b)}
		if w.n == 0 { // then the mover is Black
			f.Kind = OneSide
		}
		return f
	}
	for _, lists := range [][][]moments{{white, black}, {white}, {black}} {
		if f := judgeSizes(lists...); f != nil && (len(lists) == 2 || f.Kind == mixedSigns) {
			return f
		}
	}
	weak := func(a, b relation) bool { return a.z() >= 6 && b.se > 0 && b.r+3*b.se < a.r/2 }
	if weak(w, b) || weak(b, w) {
		return &ViewFault{Kind: uneven, Text: sides("their correlation with the results", w, b)}
	}
	return nil
}

// oneSide is the kind of scores that are wrong with one side to move: no choice of view helps if
// it is White.
func oneSide(white relation) viewKind {
	if white.r < 0 {
		return mixedSigns
	}
	return OneSide
}

// sides is the text of relations with White and with Black to move.
func sides(what string, w, b relation) string {
	var parts []string
	for i, r := range []relation{w, b} {
		if r.n > 0 {
			parts = append(parts, fmt.Sprintf("%+.2f with %s to move", r.r, [2]string{"White", "Black"}[i]))
		}
	}
	return fmt.Sprintf("%s is %s (%.0f rows)", what, strings.Join(parts, " and "), w.n+b.n)
}

// judgeSizes looks for scores that say nothing, or whose signs do not.
func judgeSizes(lists ...[]moments) *ViewFault {
	size, sign := relate(sizes, lists...), relate(scoreMaterial, lists...)
	score, known := relate(scoreResult, lists...), relate(materialResult, lists...)
	text := fmt.Sprintf("their correlation with the results is %+.2f, material's is %+.2f (%.0f rows)",
		score.r, known.r, score.n)
	switch {
	case known.z() < 5 || score.se == 0:
	case size.z() >= 5 && size.r >= 0.2 && sign.r <= size.r/4 && score.r <= known.r/4:
		return &ViewFault{Kind: mixedSigns, Text: fmt.Sprintf(
			"their size follows the material (correlation %+.2f), their sign does not (%+.2f); %s",
			size.r, sign.r, text)}
	case score.n >= 1000 && score.r+2*score.se < known.r/4:
		return &ViewFault{Kind: noRelation, Text: text}
	}
	return nil
}
