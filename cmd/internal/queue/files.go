package queue

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/factor"
	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/engine"
	"github.com/assay-chess/assay/engine/quote"
	"github.com/assay-chess/assay/engine/roster"
	"github.com/assay-chess/assay/models"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/queue"
)

// ErrJob is wrapped by errors about tests that a queue does not play.
var ErrJob = errors.New("a queue does not play this")

// Refusef returns an error that wraps ErrJob.
func Refusef(format string, args ...any) error {
	return cli.Usage(fmt.Errorf("%w: %w", ErrJob, fmt.Errorf(format, args...)))
}

// renamed returns a test with other names of its players and files.
func renamed(j queue.Job, player, file func(string) (string, error)) (queue.Job, error) {
	j.Players, j.Settings = slices.Clone(j.Players), maps.Clone(j.Settings)
	var err error
	command, ok := settings.Command(j.Command)
	for i, text := range j.Players {
		if i > 0 && command == settings.Screen {
			if !factor.IsOption(text) {
				return j, Refusef("%s: of screens it plays those of options; for patches, weights and data use assay screen "+
					"--serve", text)
			}
		} else if j.Players[i], err = player(text); err != nil {
			return j, err
		}
	}
	if command == settings.SPSA {
		command |= settings.Config
	}
	for name, text := range j.Settings {
		if row := command.Lookup(name); !ok || row == nil || row.Use&settings.File == 0 {
			continue
		}
		if j.Settings[name], err = file(text); err != nil {
			return j, fmt.Errorf("--%s: %w", name, err)
		}
	}
	return j, nil
}

// upload is a file that a test needs.
type upload struct{ path, sum, name string }

// collector names the files of a test by their content, and lists them.
type collector struct{ files []upload }

// add returns the name of a file. Letters that names in a queue do not have become '_'.
func (c *collector) add(path, name string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: %w: want a file of this machine, which is uploaded", path,
			cmp.Or(err, errors.New("not a file")))
	}
	p, err := wire.ProgramOf(path)
	if err != nil {
		return "", err
	}
	name = strings.TrimLeft(strings.Map(func(r rune) rune {
		if r < 128 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' ||
			strings.ContainsRune("._+-", r)) {
			return r
		}
		return '_'
	}, name), ".+-")
	ref, err := queue.Ref(p.SHA256, name)
	if err != nil {
		return "", err
	}
	c.files = append(c.files, upload{path, p.SHA256, name})
	return ref, nil
}

func (c *collector) file(path string) (string, error) {
	if slices.Contains(models.Names(), path) {
		return path, nil
	}
	return c.add(path, filepath.Base(path))
}

// player keeps the name under which people see it.
func (c *collector) player(text string) (string, error) {
	spec, err := roster.Parse(text)
	if err != nil {
		return "", cli.Usage(err)
	}
	name := roster.WeightsName(spec)
	switch {
	case spec.FromGit():
		return "", cli.Usage(fmt.Errorf("%w: %s is built on your machine: assay test builds, signs and submits it", ErrJob,
			text))
	case spec.Foreign():
		ref, err := c.engine(roster.Program(spec))
		if err == nil {
			err = roster.CheckPortable(spec)
		}
		if err != nil {
			return "", err
		}
		spec = spec.WithProgram(ref)
	case name == "" || slices.Contains(models.Names(), name):
		return text, nil
	default:
		if spec.Weights, err = c.file(name); err != nil {
			return "", err
		}
	}
	return "name=" + shortName(spec.Label) + ":" + spec.String(), nil
}

// shortName makes a name of what was typed, which may be a path.
func shortName(shown string) string {
	if strings.ContainsAny(shown, `:/\`) {
		shown = filepath.Base(strings.TrimPrefix(shown, "uci:"))
	}
	return strings.NewReplacer(":", "-", `\`, "-").Replace(shown)
}

// engine lists an engine with its signature.
func (c *collector) engine(path string) (string, error) {
	ref, err := c.add(path, filepath.Base(path))
	if err != nil {
		return "", err
	}
	last := c.files[len(c.files)-1]
	if _, err := os.Stat(path + wire.SignatureSuffix); err != nil {
		return "", fmt.Errorf("%s has no signature beside it: a queue takes signed engines only; assay sign %s --key KEY "+
			"makes one", path, quote.Word(path))
	}
	if last.name != filepath.Base(path) {
		return "", fmt.Errorf("%s: want a name of letters, digits, '.', '_', '+' and '-', because the signature has the "+
			"name; rename it and sign again", path)
	}
	c.files = append(c.files, upload{path + wire.SignatureSuffix, last.sum, last.name + wire.SignatureSuffix})
	return ref, nil
}

// checker replaces the names of files by their paths on the server, and refuses whatever
// could do more than play: programs and files that were not uploaded, and engines that no
// trusted key signed.
type checker struct {
	store   *queue.Store
	trusted []wire.Key
}

func (c *checker) file(ref string) (string, error) {
	if slices.Contains(models.Names(), ref) {
		return ref, nil
	}
	path, err := c.store.Expand(ref)
	if err == nil && !c.store.IsObject(path) {
		err = fmt.Errorf("%w: %q was not uploaded", ErrJob, ref)
	}
	return path, err
}

func (c *checker) player(text string) (string, error) {
	spec, err := roster.Parse(text)
	if err != nil {
		return "", err
	}
	name := roster.WeightsName(spec)
	switch {
	case spec.FromGit():
		return "", fmt.Errorf("%w: the server builds no engines (%q)", ErrJob, text)
	case spec.Foreign():
		if spec, err = c.foreign(spec); err != nil {
			return "", fmt.Errorf("player %q: %w", spec.Label, err)
		}
	case name == "" || slices.Contains(models.Names(), name):
		return text, nil
	default:
		if spec.Weights, err = c.file(name); err != nil {
			return "", fmt.Errorf("player %q: %w", spec.Label, err)
		}
	}
	return "name=" + shortName(spec.Label) + ":" + spec.String(), nil
}

func (c *checker) foreign(spec engine.Spec) (engine.Spec, error) {
	path, err := c.store.Expand(spec.Command[0])
	if err != nil {
		return spec, err
	}
	if !c.store.IsObject(path) {
		return spec, fmt.Errorf("%w: the engine was not uploaded", ErrJob)
	}
	p, err := wire.ProgramOf(path)
	if err != nil {
		return spec, err
	}
	if _, err := wire.Signer(path, p, c.trusted); err != nil {
		return spec, fmt.Errorf("the server's owner does not trust the engine: %w", err)
	}
	if err := roster.CheckPortable(spec); err != nil {
		return spec, err
	}
	return spec.WithProgram(path), nil
}

// put takes a file that a test needs, or the signature of one.
func (a *api) put(c *caller, w http.ResponseWriter, r *http.Request) error {
	sum, name := r.PathValue("sum"), r.PathValue("name")
	engine, isSignature := strings.CutSuffix(name, wire.SignatureSuffix)
	if !isSignature {
		if err := a.upload(c, w, r, sum, name); err != nil {
			return err
		}
		return answer(w, map[string]string{"file": "object/" + sum + "/" + name})
	}
	if _, err := queue.Ref(sum, engine); err != nil {
		return err
	}
	return a.putSignature(w, r, a.store.ObjectPath(sum, engine), wire.Program{Name: engine, SHA256: sum})
}

// upload keeps a file, and counts it as the caller's. Each person uploads one at a time.
func (a *api) upload(c *caller, w http.ResponseWriter, r *http.Request, sum, name string) error {
	if _, busy := a.uploading.LoadOrStore(c.name, true); busy {
		return refuse(http.StatusTooManyRequests, "another upload of %s is under way: wait for its end", c.name)
	}
	defer a.uploading.Delete(c.name)
	cli.ExtendRequest(w, uploadTime)
	left := maxUploads - a.store.Uploaded(c.name)
	if left <= 0 || r.ContentLength > left && r.ContentLength <= queue.MaxObject {
		return refuse(http.StatusTooManyRequests, "the uploads of %s would have more than %d bytes in all", c.name,
			maxUploads)
	}
	_, missing := os.Stat(a.store.ObjectPath(sum, name))
	if err := a.store.Put(sum, name, http.MaxBytesReader(w, r.Body, min(left, queue.MaxObject))); err != nil {
		return wrong(err)
	}
	info, err := os.Stat(a.store.ObjectPath(sum, name))
	if err != nil || missing == nil {
		return err
	}
	return a.store.Note(c.name, queue.Upload, name, strconv.FormatInt(info.Size(), 10))
}

// putSignature takes the signature of an engine that is there. It keeps one that is valid.
func (a *api) putSignature(w http.ResponseWriter, r *http.Request, path string, p wire.Program) error {
	if _, err := wire.Signer(path, p, a.trusted); err == nil {
		return answer(w, map[string]string{"signature": "kept"})
	}
	if _, err := os.Stat(path); err != nil {
		return refuse(http.StatusBadRequest, "the engine %s is not there yet: upload it before its signature", p.Name)
	}
	var s wire.Signature
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<14)).Decode(&s); err != nil {
		return refuse(http.StatusBadRequest, "the signature: %v; want what assay sign writes", err)
	}
	if err := durable.WriteJSON(path+wire.SignatureSuffix, &s); err != nil {
		return err
	}
	if _, err := wire.Signer(path, p, a.trusted); err != nil {
		_ = os.Remove(path + wire.SignatureSuffix)
		return fmt.Errorf("the server's owner does not trust the engine: %w", err)
	}
	return answer(w, map[string]string{"signature": "object/" + p.SHA256 + "/" + p.Name})
}
