package coordinator

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assay-chess/assay/dataset/durable"
)

// Repair repairs a coordinator's folder, dir. Of a damaged ledger it keeps the bans and the
// answers that count. The others were waiting for a replay, and a lost line may have
// voided them: their units are played again. It does nothing if dir does not exist.
func Repair(dir string) (list []durable.Repaired, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	lock, err := durable.TryLock(filepath.Join(dir, lockFile))
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	if _, err := runID(dir); errors.Is(err, durable.ErrDamaged) {
		r, err := durable.SetAside(filepath.Join(dir, runFile), "the run gets a new id")
		if err != nil {
			return nil, err
		}
		list = append(list, *r)
	}
	r, err := repairLedger(dir)
	return append(list, r...), err
}

func repairLedger(dir string) (list []durable.Repaired, err error) {
	past := newPastAnswers()
	names, reason, lines := ledgerFiles(dir), "", int64(0)
	for _, name := range names {
		lost, err := durable.WholeLines(name, func(text []byte) error { lines++; return past.add(text) })
		if err != nil {
			return nil, err
		}
		lines += lost.Damaged
		if err := durable.ReadJournal(name, nil); errors.Is(err, durable.ErrDamaged) && reason == "" {
			reason = err.Error()
		}
	}
	if reason == "" {
		return nil, nil
	}
	l := &ledger{dir: dir}
	if err := l.parseNumber(names[len(names)-1]); err != nil {
		return nil, err
	}
	r := durable.Repaired{Path: names[0], Unit: "lines", Reason: reason}
	var keep []*line
	for worker, why := range past.banned {
		keep = append(keep, &line{Worker: worker, Banned: why})
	}
	counts := &line{}
	for id, a := range past.answers {
		if a.counted {
			keep = append(keep, &a.line)
			counts.Counts = append(counts.Counts, id)
		}
	}
	r.Kept = int64(len(keep))
	r.Lost = lines - r.Kept
	if len(counts.Counts) > 0 {
		keep = append(keep, counts)
	}
	// First the new file: if this ends in between, another repair finds the same.
	if err := errors.Join(l.begin(keep), l.close()); err != nil {
		return nil, err
	}
	for _, name := range names {
		aside, err := durable.SetAside(name, "")
		if err != nil {
			return nil, err
		}
		if r.Aside == "" {
			r.Aside = aside.Aside
		}
	}
	return []durable.Repaired{r}, nil
}
