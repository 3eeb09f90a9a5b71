package dataset

import "context"

// Progress is called from time to time with the number of rows done, their total (0 if
// unknown) and a note on the current step.
type Progress = func(done, total int64, note string)

// progressEvery is the number of rows between two calls of a Progress.
const progressEvery = 4096

// Each calls visit with every row of r in order, and progress (if not nil) from time to
// time. It stops at the first error: the reader's, the context's or visit's. The row is
// valid until visit returns.
func Each[R any](ctx context.Context, r *Reader[R], progress Progress, note string, visit func(*R) error) error {
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

// watch checks a context and reports progress while rows are read.
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
