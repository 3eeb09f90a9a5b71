package arrange

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/internal/durable"
)

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
func Shuffle(ctx context.Context, paths []string, dir string, c Config) (*durable.Manifest, error) {
	kind, err := kindOf(paths)
	if err != nil {
		return nil, err
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
	limits shuffleLimits) (*durable.Manifest, error) {
	s, err := openAll(paths, open, c)
	if err != nil {
		return nil, err
	}
	buckets := min(max(1, (s.total+limits.bucketRows-1)/limits.bucketRows), maxBuckets)
	w, err := s.writer(dir, map[string]any{"operation": "shuffle", "buckets": buckets}, dataset.Packed())
	if err != nil {
		return nil, err
	}
	defer w.Close()
	temp := filepath.Join(dir, shuffleDir)
	if err := os.RemoveAll(temp); err != nil { // left by a killed process
		return nil, fmt.Errorf("dataset: %w", err)
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
		return nil, err
	}
	return w.Finish(nil)
}

func bucketName(i int) string { return fmt.Sprintf("bucket-%03d", i) }

// dealer is the state of one Shuffle.
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
