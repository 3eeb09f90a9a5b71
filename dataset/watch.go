package dataset

import "context"

// Progress is told now and then how many of a total are done, and a word about what is
// going on.
type Progress = func(done, total int64, note string)

// progressEvery is how many rows pass between two looks up from them.
const progressEvery = 4096

// watch looks up from long reading: whether it is still wanted, and to tell how far it is.
type watch struct {
	ctx      context.Context
	progress Progress // or nil
	note     string
	done     int64 // rows
	total    int64
}

// row counts a row. The error is the context's.
func (w *watch) row() error {
	if w.done%progressEvery == 0 {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if w.progress != nil {
			w.progress(w.done, w.total, w.note)
		}
	}
	w.done++
	return nil
}

// each visits every row of r.
func each[R any](ctx context.Context, r *Reader[R], progress Progress, note string, visit func(*R) error) error {
	w := watch{ctx: ctx, progress: progress, note: note, total: r.Len()}
	for row, err := range r.All() {
		if err == nil {
			err = w.row()
		}
		if err == nil {
			err = visit(&row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
