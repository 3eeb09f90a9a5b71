package coordinator

import (
	"errors"
	"fmt"
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
	past := &pastAnswers{answers: map[string]*pastAnswer{}, banned: map[string]string{}}
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
	if _, err := fmt.Sscanf(filepath.Base(names[len(names)-1]), "ledger-%d.jsonl", &l.number); err != nil {
		return nil, fmt.Errorf("cluster: %s: %w", names[len(names)-1], err)
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
	l.number++
	if err := l.openFile(); err != nil {
		return nil, err
	}
	for _, x := range keep {
		if err := l.write(x); err != nil {
			return nil, errors.Join(err, l.close())
		}
	}
	if err := errors.Join(l.sync(), l.close()); err != nil {
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
