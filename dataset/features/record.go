package features

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"slices"
	"time"

	"github.com/assay-chess/assay/dataset"
	"github.com/assay-chess/assay/engine/board"
	"github.com/assay-chess/assay/engine/machine"
	"github.com/assay-chess/assay/eval"
	"github.com/assay-chess/assay/internal/source"
)

// maxRecord is the maximum length of a record, in bytes.
const maxRecord = 1 << 20

// example is a position that an engine is asked for.
type example struct {
	dataset.PositionRow
	source string
	row    int64 // in the source, from 1
}

func (x *example) String() string {
	return fmt.Sprintf("%s, row %d (%s)", x.source, x.row, x.Board.FEN())
}

// record is an engine's answer to a position. Pointers are nil for missing fields.
type record struct {
	Term       []uint16  `json:"term"`
	Count      []float32 `json:"count"`
	White      []float32 `json:"white"`
	Black      []float32 `json:"black"`
	Phase      *float32  `json:"phase"`
	Scale      *float32  `json:"scale"`
	EGScale    *float32  `json:"eg_scale"`
	ScaleWhite *float32  `json:"scale_white"`
	ScaleBlack *float32  `json:"scale_black"`
	Offset     float32   `json:"offset"`
	Eval       *float32  `json:"eval"`
}

// recordReader reads the output of an engine after its header.
type recordReader struct {
	r      *bufio.Reader
	header *header
	sums   [][2]float64 // of a record's counts, by term: White's (or both sides') and Black's
}

func newRecordReader(r *bufio.Reader, h *header) recordReader {
	return recordReader{r: r, header: h, sums: make([][2]float64, len(h.Terms))}
}

// next reads the answer to a position.
func (rr *recordReader) next(p *board.Position) (*dataset.FeatureRow, error) {
	line, err := readLine(rr.r)
	if err != nil {
		return nil, err
	}
	var rec record
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err = d.Decode(&rec); err == nil {
		err = rr.check(&rec)
	}
	if err != nil { // not wrapped: JSON that is cut off is not the end of the output
		return nil, fmt.Errorf("%w: record %.80q: %v", ErrProtocol, line, err)
	}
	row := &dataset.FeatureRow{
		Phase: valueOr(rec.Phase, float32(eval.Phase(p))/24), Scale: valueOr(rec.Scale, 1), Offset: rec.Offset,
		EGScale: valueOr(rec.EGScale, 1), Eval: valueOr(rec.Eval, dataset.NoEval),
	}
	rr.count(&rec, row)
	return row, nil
}

// check compares the fields that are present with what the header declares.
func (rr *recordReader) check(rec *record) error {
	bySide := rr.header.BySide
	switch {
	case bySide && (rec.Count != nil || rec.EGScale != nil):
		return errors.New(`"by_side" in the header: want white, black, scale_white and scale_black ` +
			"instead of count and eg_scale")
	case !bySide && (rec.White != nil || rec.Black != nil || rec.ScaleWhite != nil || rec.ScaleBlack != nil):
		return errors.New(`white, black, scale_white and scale_black need "by_side":true in the header`)
	case bySide && (len(rec.Term) != len(rec.White) || len(rec.Term) != len(rec.Black)):
		return fmt.Errorf("%d terms, but %d and %d counts", len(rec.Term), len(rec.White), len(rec.Black))
	case !bySide && len(rec.Term) != len(rec.Count):
		return fmt.Errorf("%d terms, but %d counts", len(rec.Term), len(rec.Count))
	}
	for _, t := range rec.Term {
		if int(t) >= len(rr.sums) {
			return fmt.Errorf("a record has term %d, but there are %d", t, len(rr.sums))
		}
	}
	return nil
}

// count adds up the counts of a record by term, in a row. Sides that are scaled on their own differ in both halves.
func (rr *recordReader) count(rec *record, row *dataset.FeatureRow) {
	white := rec.Count
	if rr.header.BySide {
		white = rec.White
	}
	for i, t := range rec.Term {
		rr.sums[t][0] += float64(white[i])
		if rr.header.BySide {
			rr.sums[t][1] += float64(rec.Black[i])
		}
	}
	scaleWhite, scaleBlack := valueOr(rec.ScaleWhite, 1), valueOr(rec.ScaleBlack, 1)
	slices.Sort(rec.Term)
	for _, t := range slices.Compact(rec.Term) {
		n := rr.sums[t]
		rr.sums[t] = [2]float64{}
		for side := range n {
			if math.Abs(n[side]) < 1e-9 { // its counts cancel out, but for their rounding
				n[side] = 0
			}
		}
		white, black := float32(n[0]), float32(n[1])
		count, egCount := white-black, scaleWhite*white-scaleBlack*black
		if count == 0 && egCount == 0 {
			continue
		}
		row.Terms, row.Counts = append(row.Terms, t), append(row.Counts, count)
		if rr.header.BySide {
			row.EGCounts = append(row.EGCounts, egCount)
		}
	}
}

// valueOr returns what v points to, or else a default.
func valueOr[T any](v *T, otherwise T) T {
	if v == nil {
		return otherwise
	}
	return *v
}

// readLine reads a line of at most maxRecord bytes, without its newline. The error is
// io.EOF if the input ends before the first byte.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := source.ReadLine(r, maxRecord)
	switch {
	case errors.Is(err, source.ErrLong):
		err = fmt.Errorf("%w: a line is longer than %d bytes", ErrProtocol, maxRecord)
	case errors.Is(err, io.EOF) && len(line) > 0:
		err = io.ErrUnexpectedEOF
	}
	return bytes.TrimRight(line, "\r"), err
}

// ErrProtocol says that the engine's output does not follow the protocol.
var ErrProtocol = errors.New("the engine does not follow the features protocol")

// header is the first line of an engine's output. Pointers are nil for missing fields.
type header struct {
	Format  string       `json:"format"`
	Model   string       `json:"model"`
	Records string       `json:"records"` // "json", or left out
	Float   bool         `json:"float"`
	Unit    *float64     `json:"unit"`
	EGScale string       `json:"eg_scale"`
	BySide  bool         `json:"by_side"`
	Terms   []headerTerm `json:"terms"`
}

type headerTerm struct {
	Name  string   `json:"name"`
	Group string   `json:"group"`
	MG    *float64 `json:"mg"`
	EG    *float64 `json:"eg"`
	Value *float64 `json:"value"` // of a term that is not tapered
	Kind  string   `json:"kind"`
	Fixed bool     `json:"fixed"`
}

// parseHeader reads the engine's header line. The tolerance of the set is the default.
func parseHeader(line []byte) (*header, error) {
	var h header
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&h); err != nil {
		return nil, fmt.Errorf("%w: its header is %.80q, want a JSON object with format, model and terms: %w",
			ErrProtocol, line, err)
	}
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return &h, nil
}

func (h *header) check() error {
	switch {
	case h.Format != dataset.FeaturesFormat:
		return fmt.Errorf("its format is %.40q, want %q", h.Format, dataset.FeaturesFormat)
	case h.Records != "" && h.Records != "json":
		return fmt.Errorf(`its records are %.40q, want "json"`, h.Records)
	}
	if err := eval.CheckName(h.Model); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	for _, t := range h.Terms {
		if t.Value != nil && (t.MG != nil || t.EG != nil || t.Kind == "") {
			return fmt.Errorf(`term %q: value stands for mg and eg of a term of kind "single", "flat", "mg" or "eg"`, t.Name)
		}
	}
	set := h.set()
	return set.Check()
}

func (h *header) set() dataset.FeatureSet {
	s := dataset.FeatureSet{Version: 2, Model: h.Model, Float: h.Float, Evaluation: dataset.Evaluation{
		Unit: valueOr(h.Unit, dataset.DefaultUnit), Tolerance: dataset.DefaultTolerance,
		EGScale: h.EGScale, BySide: h.BySide,
	}}
	for _, t := range h.Terms {
		x := dataset.FeatureTerm{Name: t.Name, Group: t.Group, MG: valueOr(t.MG, 0), EG: valueOr(t.EG, 0), Kind: t.Kind,
			Fixed: t.Fixed}
		if t.Value != nil && t.Kind != dataset.EndgameTerm {
			x.MG = *t.Value
		}
		if t.Value != nil && t.Kind != dataset.MiddlegameTerm {
			x.EG = *t.Value
		}
		s.Terms = append(s.Terms, x)
	}
	return s
}

// ErrSilent says that an engine did not answer in time.
var ErrSilent = errors.New("no answer")

type process struct {
	cmd     *exec.Cmd
	in      *bufio.Writer
	pipe    io.Closer
	records recordReader
	skipped []string // lines before the header
	stderr  machine.Tail
	ctx     context.Context // of cmd
	kill    context.CancelCauseFunc
	timeout time.Duration
}

// start starts the command and reads its header.
func start(ctx context.Context, command []string, timeout time.Duration) (*process, error) {
	ctx, kill := context.WithCancelCause(ctx)
	p := &process{cmd: machine.Command(ctx, command[0], command[1:]...), ctx: ctx, kill: kill, timeout: timeout}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // for its own children that keep stderr open
	in, err := p.cmd.StdinPipe()
	if err == nil {
		p.pipe, p.in = in, bufio.NewWriterSize(in, 1<<16)
		var out io.ReadCloser
		if out, err = p.cmd.StdoutPipe(); err == nil {
			p.records.r = bufio.NewReaderSize(out, 1<<16)
			err = p.cmd.Start()
		}
	}
	if err != nil {
		kill(nil)
		return nil, fmt.Errorf("features: %w", err)
	}
	if err := p.readHeader(); err != nil {
		return nil, p.end(err)
	}
	return p, nil
}

// maxBanner is the number of lines that may stand before the header.
const maxBanner = 100

// readHeader reads the header, and keeps the lines before it.
func (p *process) readHeader() error {
	late := p.watch()
	defer late.Stop()
	r := p.records.r
	for {
		line, err := readLine(r)
		if err = p.reason(err, late); err != nil {
			if len(p.skipped) > 0 {
				err = fmt.Errorf("%w; it printed %d lines and no header, the first line is %.80q",
					err, len(p.skipped), p.skipped[0])
			}
			return err
		}
		if bytes.HasPrefix(line, []byte("{")) {
			h, err := parseHeader(line)
			if err == nil {
				p.records = newRecordReader(r, h)
			}
			return err
		}
		if p.skipped = append(p.skipped, string(line)); len(p.skipped) > maxBanner {
			return fmt.Errorf("%w: no header in its first %d lines, the first line is %.80q", ErrProtocol, len(p.skipped),
				p.skipped[0])
		}
	}
}

// watch kills the process with ErrSilent unless the timer is reset or stopped in time.
func (p *process) watch() *time.Timer { return time.AfterFunc(p.timeout, func() { p.kill(ErrSilent) }) }

// ask sends positions, reads the answers at the same time, and passes them to take. An error names
// the position that it is about.
func (p *process) ask(examples []*example, take func(x *example, row *dataset.FeatureRow) error) error {
	wrote := make(chan error, 1)
	go func() {
		for _, x := range examples {
			p.in.WriteString(x.Board.FEN())
			p.in.WriteByte('\n')
		}
		p.in.WriteByte('\n')
		wrote <- p.in.Flush()
	}()
	dog := p.watch()
	for _, x := range examples {
		row, err := p.records.next(&x.Board)
		if err == nil {
			dog.Reset(p.timeout)
			err = take(x, row)
		}
		if err = p.reason(err, dog); err != nil {
			p.kill(nil) // this also ends the writing goroutine
			<-wrote
			return fmt.Errorf("%s: %w", x, err)
		}
	}
	dog.Stop()
	return <-wrote
}

// reason returns the cause of err, and stops the timer.
func (p *process) reason(err error, dog *time.Timer) error {
	if err == nil {
		return nil
	}
	dog.Stop()
	switch {
	case context.Cause(p.ctx) == ErrSilent:
		return fmt.Errorf("%w in %v; does it flush its output at an empty line?", ErrSilent, p.timeout)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errEnded
	}
	return err
}

var errEnded = fmt.Errorf("%w: its output ended", ErrProtocol)

// end closes the engine's input and waits for it to exit. After an error the engine is
// killed, and the last line of its standard error is added to the error.
func (p *process) end(err error) error {
	p.pipe.Close()
	if err != nil {
		p.kill(nil)
	}
	late := p.watch()
	more, _ := p.records.r.Peek(1) // to the end of its output
	exit := p.cmd.Wait()
	late.Stop()
	p.kill(nil)
	switch {
	case err == nil && len(more) > 0:
		return fmt.Errorf("%w: it printed more than one record per position: %.20q after the last", ErrProtocol, more)
	case err == nil:
		return nil // all its answers are there; its exit status does not matter
	case errors.Is(err, errEnded):
		err = fmt.Errorf("%w (%v)", err, exit)
	}
	if said := p.stderr.Last(); said != "" {
		return fmt.Errorf("%w; its last message: %s", err, said)
	}
	return err
}
