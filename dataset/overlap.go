package dataset

// Overlap is what two data sets have in common. Training data that contain the
// positions, openings or games of validation data make the validation look too good.
type Overlap struct {
	Positions Common `json:"positions"` // first four FEN fields; of games, before each move and at the end
	Openings  Common `json:"openings"`
	Games     Common `json:"games"`
	// RowsA and RowsB are rows whose position, or one of whose positions for games, is in
	// the other data set too.
	RowsA int64 `json:"rows_a"`
	RowsB int64 `json:"rows_b"`
}

// Common counts different things of two data sets A and B.
type Common struct {
	A    int64 `json:"a"`
	B    int64 `json:"b"`
	Both int64 `json:"both"`
}

// Compare counts what two data sets of games, positions or features have in common.
// Features have no positions. It takes about 12 bytes of memory a position.
func Compare(a, b string) (*Overlap, error) {
	var one, two identities
	if err := one.gather(a); err != nil {
		return nil, err
	}
	if err := two.gather(b); err != nil {
		return nil, err
	}
	o := &Overlap{Positions: one.positions.common(&two.positions), Openings: one.openings.common(&two.openings),
		Games: one.games.common(&two.games)}
	var err error
	if o.RowsA, err = rowsWithin(a, &two.positions); err != nil {
		return nil, err
	}
	o.RowsB, err = rowsWithin(b, &one.positions)
	return o, err
}

// identities are what the rows of a data set can share with others.
type identities struct {
	positions, openings, games keySet
}

// name notes a row's game and opening, where it has them.
func (s *identities) name(game, opening uint64) {
	if game != 0 {
		s.games.add(game)
	}
	if opening != 0 {
		s.openings.add(opening)
	}
}

func (s *identities) gather(path string) error {
	format, err := Detect(path)
	if err != nil {
		return err
	}
	switch format {
	case GamesFormat:
		return eachRow(path, OpenGames, func(g *GameRow) {
			s.name(g.Game, g.Opening)
			for _, game := range g.Replay() {
				s.positions.add(game.Position().Key())
			}
		})
	case PositionsFormat:
		return eachRow(path, OpenPositions, func(p *PositionRow) {
			s.name(p.Game, p.Opening)
			s.positions.add(p.Board.Key())
		})
	default:
		return eachRow(path, openFeatures, func(f *FeatureRow) { s.name(f.Game, f.Opening) })
	}
}

// rowsWithin counts the rows of which a position is in the set.
func rowsWithin(path string, set *keySet) (n int64, err error) {
	format, err := Detect(path)
	if err != nil {
		return 0, err
	}
	switch format {
	case GamesFormat:
		err = eachRow(path, OpenGames, func(g *GameRow) {
			for _, game := range g.Replay() {
				if set.has(game.Position().Key()) {
					n++
					return
				}
			}
		})
	case PositionsFormat:
		err = eachRow(path, OpenPositions, func(p *PositionRow) {
			if set.has(p.Board.Key()) {
				n++
			}
		})
	}
	return n, err
}

// eachRow reads a data set, as far as it goes.
func eachRow[R any](path string, open opener[R], visit func(*R)) error {
	r, err := open(path, Partial())
	if err != nil {
		return err
	}
	for row, err := range r.All() {
		if err != nil {
			return err
		}
		visit(&row)
	}
	return nil
}
