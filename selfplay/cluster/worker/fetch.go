package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
)

// errNoEngine is wrapped by errors of fetching an engine that are not the worker's fault.
var errNoEngine = errors.New("cluster: cannot fetch the engine")

// errNotHere means that an engine may be fetched.
var errNotHere = errors.New("the engine was not fetched yet")

// keepUnused is how long a fetched engine is kept that no run asks for.
const keepUnused = 30 * 24 * time.Hour

// Fetch has the worker fetch engines that a trusted key signed, and keep them in the folder.
// They run with the worker's rights. Fetch deletes engines that were not used for a month.
func (a *AllowedEngines) Fetch(dir string) error {
	if err := durable.MakeDir(dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && isDigest(e.Name()) && time.Since(info.ModTime()) > keepUnused {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return fmt.Errorf("cluster: %w", err)
			}
		}
	}
	a.cache, err = filepath.Abs(dir)
	return err
}

// describeFetching says what is fetched and how it runs.
func (a *AllowedEngines) describeFetching() string {
	names := make([]string, len(a.trusted))
	for i, k := range a.trusted {
		names[i] = k.Name
	}
	return fmt.Sprintf("engines signed by %s are fetched, and run with your rights", strings.Join(names, ", "))
}

func isDigest(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// fetched returns where a fetched engine is.
func (a *AllowedEngines) fetched(p wire.Program) string {
	return filepath.Join(a.cache, p.SHA256, p.Name)
}

// findFetched returns the path of an engine that was fetched, and that a key signed which is
// trusted now.
func (a *AllowedEngines) findFetched(p wire.Program) (string, error) {
	if !isDigest(p.SHA256) {
		return "", errors.New("that is not a SHA-256")
	}
	path := a.fetched(p)
	if now, err := wire.ProgramOf(path); err != nil || now != p {
		return "", errNotHere
	}
	if _, err := wire.Signer(path, p, a.trusted); err != nil {
		return "", errNotHere // the run may have another signature
	}
	now := time.Now()
	_ = os.Chtimes(filepath.Dir(path), now, now) // if it fails, it is fetched again after a month
	return path, nil
}

// source is where a worker fetches engines.
type source struct {
	get func(ctx context.Context, name string, offset int) (*wire.WeightsPart, error)
	log func(line string)
}

// fetch fetches an engine. It asks for the signature first, and fetches nothing that no
// trusted key signed. What arrived stays, so that a fetch that was interrupted goes on there.
func (a *AllowedEngines) fetch(ctx context.Context, p wire.Program, from *source) error {
	a.fetching.Lock()
	defer a.fetching.Unlock()
	if _, err := a.findFetched(p); err == nil {
		return nil // another slot was faster
	}
	first, err := from.get(ctx, wire.EngineName(p), 0)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoEngine, err)
	}
	switch {
	case first.Size == 0:
		return errors.New("the run does not send it (its author can, with --send-engines); to allow a copy of " +
			"yours, start the worker with --engine PATH")
	case len(first.Signatures) == 0:
		return fmt.Errorf("%w: the run sends it without one", wire.ErrSignature)
	case first.Size > wire.MaxEngine:
		return fmt.Errorf("it has %d bytes, more than the %d that workers take", first.Size, wire.MaxEngine)
	}
	signature, who, err := a.chooseSignature(p, first.Signatures)
	if err != nil {
		return err
	}
	from.log(fmt.Sprintf("fetching engine %s, signed by %s: %.1f MB", p.Name, who, float64(first.Size)/1e6))
	path := a.fetched(p)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("%w: %w", errNoEngine, err)
	}
	if now, err := wire.ProgramOf(path); err != nil || now != p {
		if err := from.download(ctx, path+partSuffix, p, first); err != nil {
			return fmt.Errorf("%w %s: %w", errNoEngine, p.Name, err)
		}
		if err := install(path, p); err != nil {
			return fmt.Errorf("%w %s: %w", errNoEngine, p.Name, err)
		}
	}
	text, err := json.Marshal(signature)
	if err == nil {
		err = durable.WriteFile(path+wire.SignatureSuffix, text)
	}
	return err
}

// chooseSignature returns the first signature by a trusted key, and the key's name.
func (a *AllowedEngines) chooseSignature(p wire.Program, all []wire.Signature) (s *wire.Signature, who string,
	err error) {
	for i := range all {
		if who, err = all[i].Signer(p, a.trusted); err == nil {
			return &all[i], who, nil
		}
	}
	return nil, "", err
}

// partSuffix ends the name of an engine's file that did not arrive completely. No signature
// is for that name.
const partSuffix = ".part" + wire.SignatureSuffix

// progressEvery is how often the progress of a download is logged.
const progressEvery = 10 * time.Second

// download writes an engine's parts to a file, from where it ends. Several workers may do so
// at once, since they write the same bytes.
func (s *source) download(ctx context.Context, path string, p wire.Program, first *wire.WeightsPart) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() // install notices what is missing
	offset := 0
	if info, err := f.Stat(); err == nil {
		offset = int(min(info.Size(), int64(first.Size)))
	}
	part := first
	for last := time.Now(); offset < first.Size; {
		if offset > 0 {
			if part, err = s.get(ctx, wire.EngineName(p), offset); err != nil {
				return err
			}
		}
		if part.Size != first.Size || len(part.Data) == 0 || len(part.Data) > first.Size-offset {
			return fmt.Errorf("%w: %d bytes at %d of %d", durable.ErrDamaged, len(part.Data), offset, first.Size)
		}
		if _, err := f.WriteAt(part.Data, int64(offset)); err != nil {
			return err
		}
		offset += len(part.Data)
		if time.Since(last) > progressEvery {
			last = time.Now()
			s.log(fmt.Sprintf("fetching engine %s: %.1f of %.1f MB", p.Name, float64(offset)/1e6,
				float64(first.Size)/1e6))
		}
	}
	return nil
}

// install copies an engine that has arrived to its place, and makes it executable, if the copy
// is what was signed.
func install(path string, p wire.Program) error {
	part, err := os.Open(path + partSuffix)
	if err != nil {
		return err
	}
	defer part.Close() // only read
	temporary, err := copyProgram(part, filepath.Dir(path), p)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
	}
	os.Remove(path + partSuffix) // complete, or damaged
	return err
}

// copyProgram writes a copy with the content of p to a new executable file in the folder. No
// process may start meanwhile: it would have the file open for a moment, and a program whose
// file is open for writing cannot be run.
func copyProgram(from io.Reader, dir string, p wire.Program) (path string, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	f, err := os.CreateTemp(dir, "new-*"+wire.SignatureSuffix)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), from)
	if err = errors.Join(err, f.Chmod(0o500), f.Close()); err == nil && hex.EncodeToString(h.Sum(nil)) != p.SHA256 {
		err = fmt.Errorf("%w: it arrived with other content", durable.ErrDamaged)
	}
	return f.Name(), err
}
