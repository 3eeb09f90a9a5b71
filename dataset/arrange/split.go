package arrange

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
)

// Values of by: what Split keeps together.
const (
	ByGame    = "game"    // the positions of a game
	ByOpening = "opening" // the games of an opening
)

// Part is one of the data sets that Split writes.
type Part struct {
	Name   string  `json:"name"`   // of its folder
	Weight float64 `json:"weight"` // relative to the sum of all weights
}

// CheckParts returns an error if the list of parts is not valid.
func CheckParts(parts []Part) error {
	seen := map[string]bool{}
	for _, p := range parts {
		if p.Name == "" || p.Name != filepath.Base(p.Name) || p.Name[0] == '.' || seen[p.Name] {
			return fmt.Errorf("part %q: the names must be different, and valid names of folders", p.Name)
		}
		seen[p.Name] = true
		if !(p.Weight > 0 && p.Weight <= 1e9) {
			return fmt.Errorf("part %s: its share %v is not a positive number", p.Name, p.Weight)
		}
	}
	if len(parts) < 2 {
		return errors.New("need at least two parts")
	}
	return nil
}

// splitConfig is the configuration in the manifest of a part.
type splitConfig struct {
	Operation string `json:"operation"`
	By        string `json:"by"`
	Parts     []Part `json:"parts"`
	Part      string `json:"part"`
}

// Split writes each game (or all games of an opening) of data sets of one schema to one of
// the parts, in folders of dir. The part depends only on the seed and the number of the game
// (or the key of the opening), not on the order, on other games or on names. The parts must have passed CheckParts. An
// interrupted Split is resumed; the error is dataset.ErrComplete (wrapped) if all parts are complete already.
func Split(ctx context.Context, paths []string, dir string, parts []Part, by string, c Config) error {
	kind, err := kindOf(paths)
	if err != nil {
		return err
	}
	s := &splitting{dir: dir, parts: parts, by: by, seed: c.Seed}
	switch kind {
	case dataset.GamesFormat:
		names := func(g *dataset.GameRow) (game, opening uint64) { return g.Game, g.Opening }
		return split(ctx, paths, s, c, dataset.OpenGames, names)
	case dataset.PositionsFormat:
		names := func(p *dataset.PositionRow) (game, opening uint64) { return p.Game, p.Opening }
		return split(ctx, paths, s, c, dataset.OpenPositions, names)
	default:
		names := func(f *dataset.FeatureRow) (game, opening uint64) { return f.Game, f.Opening }
		return split(ctx, paths, s, c, openFeatures, names)
	}
}

type splitting struct {
	dir   string
	parts []Part
	by    string
	seed  uint64
}

// part returns the index of the part of a game or opening.
func (s *splitting) part(key uint64) int {
	total := 0.0
	for _, p := range s.parts {
		total += p.Weight
	}
	h := board.SplitMix64((board.SplitMix64(s.seed) ^ key) - board.SplitMix64Gamma)
	at := float64(h>>11) / (1 << 53) * total
	for i, p := range s.parts {
		if at -= p.Weight; at < 0 {
			return i
		}
	}
	return len(s.parts) - 1
}

func split[R any](ctx context.Context, paths []string, s *splitting, c Config, open opener[R],
	names func(*R) (game, opening uint64)) error {
	src, err := openAll(paths, open, c)
	if err != nil {
		return err
	}
	t := &splitter[R]{splitting: s, names: names}
	defer t.each((*dataset.Writer[R]).Close)
	if err := t.begin(src); err != nil {
		return err
	}
	n := int64(0)
	err = src.each(ctx, "", func(row *R) error {
		n++
		err := t.add(row)
		if errors.Is(err, dataset.ErrUngrouped) {
			err = fmt.Errorf("dataset: row %d: %w: it has no %s", n, err, s.by)
			return errors.Join(err, t.each((*dataset.Writer[R]).Discard))
		}
		return err
	})
	if err != nil {
		return err
	}
	return t.each(func(w *dataset.Writer[R]) error {
		_, err := w.Finish(nil)
		return err
	})
}

// splitter has a writer for each part, nil for a complete one.
type splitter[R any] struct {
	*splitting
	names   func(*R) (game, opening uint64)
	writers []*dataset.Writer[R]
	skip    []int64 // rows that an earlier process wrote
}

// begin opens all parts. The error is dataset.ErrComplete (wrapped) if all of them are
// complete.
func (t *splitter[R]) begin(src *sources[R]) error {
	done := 0
	for i, p := range t.parts {
		w, err := src.writer(filepath.Join(t.dir, p.Name), splitConfig{"split", t.by, t.parts, p.Name})
		t.writers, t.skip = append(t.writers, w), append(t.skip, 0)
		switch {
		case errors.Is(err, dataset.ErrComplete):
			done++
		case err != nil:
			return err
		default:
			t.skip[i] = w.Rows()
		}
	}
	if done == len(t.parts) {
		return fmt.Errorf("dataset: %s: %w", t.dir, dataset.ErrComplete)
	}
	return nil
}

func (t *splitter[R]) add(r *R) error {
	game, opening := t.names(r)
	id, key := game, dataset.GameNumber(game)
	if t.by == ByOpening {
		id, key = opening, opening
	}
	if id == 0 {
		return dataset.ErrUngrouped
	}
	i := t.part(key)
	if t.skip[i]--; t.skip[i] >= 0 || t.writers[i] == nil {
		return nil
	}
	return t.writers[i].Append(r)
}

// each calls f with the writer of each part that is not complete.
func (t *splitter[R]) each(f func(w *dataset.Writer[R]) error) (err error) {
	for _, w := range t.writers {
		if w != nil {
			err = errors.Join(err, f(w))
		}
	}
	return err
}

// shuffleLimits bound the memory of Shuffle. The rows of one bucket are in memory at once.
// While rows are distributed, each bucket has an open shard of about a megabyte.
type shuffleLimits struct {
	bucketRows int64 // of a bucket, approximately
	shardRows  int   // of a shard of a bucket
}

const (
	// maxBuckets keeps the open shards below 250 MB. Beyond 134 million positions the
	// buckets grow instead.
	maxBuckets = 256
	// shuffleDir is the temporary folder of the buckets.
	shuffleDir = ".shuffle"
	// progressEvery is the number of rows between two calls of Progress while a bucket is written.
	progressEvery = 4096
)

// Shuffle writes the rows of data sets of one schema in random order as a data set in dir.
// The seed decides the order. Every order is equally likely: rows are distributed over
// buckets at random, and each bucket is shuffled in memory. An interrupted Shuffle is
// resumed; the error is dataset.ErrComplete (wrapped) if dir is complete already.
//
// The buckets temporarily need disk space in dir: 104 bytes for each position. Their compression cost a
// quarter of the CPU time.
func Shuffle(ctx context.Context, paths []string, dir string, c Config) error {
	kind, err := kindOf(paths)
	if err != nil {
		return err
	}
	switch kind {
	case dataset.GamesFormat:
		return shuffle(ctx, paths, dir, c, dataset.OpenGames, shuffleLimits{1 << 16, 512})
	case dataset.PositionsFormat:
		return shuffle(ctx, paths, dir, c, dataset.OpenPositions, shuffleLimits{1 << 19, 8192})
	default:
		return shuffle(ctx, paths, dir, c, openFeatures, shuffleLimits{1 << 18, 1024})
	}
}

func shuffle[R any](ctx context.Context, paths []string, dir string, c Config, open opener[R],
	limits shuffleLimits) error {
	s, err := openAll(paths, open, c)
	if err != nil {
		return err
	}
	buckets := min(max(1, (s.total+limits.bucketRows-1)/limits.bucketRows), maxBuckets)
	w, err := s.writer(dir, map[string]any{"operation": "shuffle", "buckets": buckets}, dataset.Packed())
	if err != nil {
		return err
	}
	defer w.Close()
	temp := filepath.Join(dir, shuffleDir)
	if err := os.RemoveAll(temp); err != nil { // left by a killed process
		return fmt.Errorf("dataset: %w", err)
	}
	defer os.RemoveAll(temp)
	d := &dealer[R]{sources: s, out: w, skip: w.Rows()}
	if buckets == 1 {
		err = d.write(ctx, s.readers, 0)
	} else {
		err = d.deal(ctx, temp, int(buckets), limits)
		for i := 0; i < int(buckets) && err == nil; i++ {
			err = d.collect(ctx, filepath.Join(temp, bucketName(i)), open, i)
		}
	}
	if err != nil {
		return err
	}
	_, err = w.Finish(nil)
	return err
}

func bucketName(i int) string { return fmt.Sprintf("bucket-%03d", i) }

type dealer[R any] struct {
	*sources[R]
	out  *dataset.Writer[R]
	skip int64 // rows that an earlier process wrote
	rows []R   // of a bucket; the memory is reused

	written int64 // by this process or an earlier one
}

// deal writes every row to a bucket chosen at random.
func (d *dealer[R]) deal(ctx context.Context, temp string, buckets int, limits shuffleLimits) error {
	writers := make([]*dataset.Writer[R], buckets)
	defer func() {
		for _, w := range writers {
			if w != nil {
				w.Close()
			}
		}
	}()
	var err error
	for i := range writers {
		writers[i], err = d.readers[0].NewWriter(filepath.Join(temp, bucketName(i)), dataset.WriterConfig{},
			dataset.ShardRows(limits.shardRows, limits.shardRows), dataset.Uncompressed(), dataset.Scratch(d.out.Rows))
		if err != nil {
			return err
		}
	}
	rng := rand.New(rand.NewPCG(d.Seed, 0))
	err = d.each(ctx, "dealing", func(row *R) error { return writers[rng.IntN(buckets)].Append(row) })
	for i := 0; i < buckets && err == nil; i++ {
		_, err = writers[i].Finish(nil)
	}
	return err
}

// collect reads one bucket, shuffles its rows and removes it.
func (d *dealer[R]) collect(ctx context.Context, path string, open opener[R], bucket int) error {
	r, err := open(path)
	if err != nil {
		return err
	}
	if err := d.write(ctx, []*dataset.Reader[R]{r}, bucket); err != nil {
		return err
	}
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

// write appends all rows of the readers in random order.
func (d *dealer[R]) write(ctx context.Context, readers []*dataset.Reader[R], bucket int) error {
	d.rows = d.rows[:0]
	for _, r := range readers {
		d.rows = slices.Grow(d.rows, int(r.Len()))
		err := dataset.Each(ctx, r, nil, "", func(row *R) error {
			d.rows = append(d.rows, *row)
			return nil
		})
		if err != nil {
			return err
		}
	}
	rng := rand.New(rand.NewPCG(d.Seed, uint64(bucket)+1))
	rng.Shuffle(len(d.rows), func(i, j int) { d.rows[i], d.rows[j] = d.rows[j], d.rows[i] })
	for i := range d.rows {
		if i%progressEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if d.Progress != nil {
				d.Progress(d.written, d.total, "writing")
			}
		}
		d.written++
		if d.skip--; d.skip >= 0 {
			continue
		}
		if err := d.out.Append(&d.rows[i]); err != nil {
			return err
		}
	}
	return nil
}
