package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// powerDirEnv makes the test program the writer of TestPowerCut.
const powerDirEnv = "ASSAY_POWER_DIR"

// unit is what the writer makes, like a game.
type unit struct {
	N    uint64 `json:"n"`
	Text string `json:"text"`
}

func unitOf(n uint64) unit        { return unit{n, strings.Repeat(fmt.Sprint(n), 8)} }
func numberOf(u *unit) uint64     { return u.N }
func shardOf(first uint64) []byte { return fmt.Append(nil, unitOf(first), unitOf(first+1)) }

// writeWithAcks writes a data set as self-play does: each unit is a line of the journal, and two are a shard. It
// prints how many units count. It ends twice before its last lines are synced, and goes on with what it finds.
func writeWithAcks(dir string) {
	m := &Manifest{Schema: "test/1"}
	for range 3 {
		p, err := OpenPending(filepath.Join(dir, JournalName), uint64(m.Rows), numberOf)
		must(err)
		next := uint64(m.Rows) + uint64(len(p.Units()))
		must(p.journal.Sync())
		fmt.Println(next)
		for uint64(m.Rows)+2 <= next {
			name, data := fmt.Sprintf("%d.arrow", m.Rows), shardOf(uint64(m.Rows))
			must(WriteFile(filepath.Join(dir, name), data))
			m.Shards = append(m.Shards, Shard{Name: name, Rows: 2, Size: int64(len(data)), SHA256: SumBytes(data)})
			m.Rows += 2
			must(m.Save(dir))
			fmt.Println(next)
			must(p.Listed(uint64(m.Rows)))
		}
		for n := next; n < next+5; n++ {
			must(p.journal.Append(unitOf(n))) // Add, without its sync a second later
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// fileOp is a call of the writer that changes its folder, or a sync, or an acknowledgement.
type fileOp struct {
	call     string // "write", "name", "sync" or "ack"
	file     int    // which file; 0: the folder, whose content is the names
	from, to string // of a name; a new file comes from none
	at       int64  // of a write
	data     []byte
	begun    int    // a sync covers the ops before this one
	count    uint64 // units of an acknowledgement
}

var (
	straceCall = regexp.MustCompile(`^(\w+)\((.*)\) += (\d+)`)
	straceText = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
)

// parseTrace reads the output of strace, and returns calls about the folder.
func parseTrace(trace, dir string) (ops []fileOp) {
	half, begun := map[string]string{}, map[string]int{} // by thread
	names, open, offset, files := map[string]int{}, map[string]int{}, map[string]int64{}, 0
	for line := range strings.Lines(trace) {
		thread, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, rest, resumed := strings.Cut(text, " resumed>"); resumed {
			text = half[thread] + rest
		} else {
			begun[thread] = len(ops)
		}
		half[thread] = strings.TrimSuffix(strings.TrimSpace(text), " <unfinished ...>")
		parts := straceCall.FindStringSubmatch(half[thread])
		if parts == nil {
			continue // it is unfinished, or failed, or is no call
		}
		var texts []string
		for _, t := range straceText.FindAllStringSubmatch(parts[2], -1) {
			unquoted, _ := strconv.Unquote(`"` + t[1] + `"`) // the writer writes nothing that Go quotes otherwise
			texts = append(texts, unquoted)
		}
		fd, _, _ := strings.Cut(parts[2], "<")
		result := parts[3]
		switch file, ours := open[fd]; parts[1] {
		case "openat":
			delete(open, result)
			name, below := strings.CutPrefix(texts[0], dir)
			if below && name != "" && names[name] == 0 {
				files++
				names[name] = files
				ops = append(ops, fileOp{call: "name", file: names[name], to: name})
			}
			if below {
				open[result], offset[result] = names[name], 0
			}
		case "lseek":
			offset[fd], _ = strconv.ParseInt(result, 10, 64)
		case "write":
			if fd == "1" {
				count, _ := strconv.ParseUint(strings.TrimSpace(texts[0]), 10, 64)
				ops = append(ops, fileOp{call: "ack", count: count})
			} else if ours { // a write may reach the disk in parts: here in two
				middle := len(texts[0]) / 2
				for _, part := range []string{texts[0][:middle], texts[0][middle:]} {
					ops = append(ops, fileOp{call: "write", file: file, at: offset[fd], data: []byte(part)})
					offset[fd] += int64(len(part))
				}
			}
		case "fsync":
			if ours {
				ops = append(ops, fileOp{call: "sync", file: file, begun: begun[thread]})
			}
		case "renameat":
			from, to := strings.TrimPrefix(texts[0], dir), strings.TrimPrefix(texts[1], dir)
			ops = append(ops, fileOp{call: "name", file: names[from], from: from, to: to})
			names[to] = names[from]
			delete(names, from)
		}
	}
	return ops
}

// folderAfter returns the files of a folder after the ops that are not lost, by name.
func folderAfter(ops []fileOp, lost map[int]bool) map[string][]byte {
	names, content, folder := map[string]int{}, map[int][]byte{}, map[string][]byte{}
	for i, o := range ops {
		switch {
		case lost[i]:
		case o.call == "write":
			data := make([]byte, max(len(content[o.file]), int(o.at)+len(o.data))) // with zeros where a write was lost
			copy(data, content[o.file])
			copy(data[o.at:], o.data)
			content[o.file] = data
		case o.call == "name":
			delete(names, o.from)
			names[o.to] = o.file
		}
	}
	for name, file := range names {
		folder[name] = content[file]
	}
	return folder
}

// recovered carries out the recovery in a folder. An error says what was lost if that many units were acknowledged.
func recovered(dir string, acked uint64) error {
	if err := RemoveTemps(dir); err != nil {
		return err
	}
	m, err := LoadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		m = &Manifest{}
	} else if err != nil {
		return err
	}
	first := uint64(0)
	for _, s := range m.Shards {
		if data, err := ReadShard(dir, s); err != nil || !bytes.Equal(data, shardOf(first)) {
			return fmt.Errorf("a listed shard: %.40q, %w", data, err)
		}
		first += uint64(s.Rows)
	}
	p, err := OpenPending(filepath.Join(dir, JournalName), first, numberOf)
	if err != nil {
		return err
	}
	defer p.Close()
	for n, u := range p.Units() {
		if u != unitOf(n) {
			return fmt.Errorf("unit %d is %+v", n, u)
		}
	}
	for n := first; n < acked; n++ {
		if _, ok := p.Units()[n]; !ok {
			return fmt.Errorf("unit %d of %d acknowledged is lost", n, acked)
		}
	}
	return nil
}

// Up to maxOpen ops without a sync, all subsets are tried; of more, that many samples.
const maxOpen, samples = 8, 100

// cuts cuts the power after each op of a trace, with any of what was not synced on disk. It counts the different
// folders up to the first whose recovery is wrong.
func cuts(root string, ops []fileOp) (states int, wrong error) {
	rng := rand.New(rand.NewPCG(1, 1))
	tried := map[string]bool{}
	acked := uint64(0)
	for n := range len(ops) + 1 {
		if n > 0 && ops[n-1].call == "ack" {
			acked = ops[n-1].count
		}
		var open []int // ops that no sync covers
		for i, o := range ops[:n] {
			where := map[string]int{"write": o.file, "name": 0}
			file, changes := where[o.call]
			covers := func(s fileOp) bool { return s.call == "sync" && i < s.begun && s.file == file }
			if changes && !slices.ContainsFunc(ops[i:n], covers) {
				open = append(open, i)
			}
		}
		all := len(open) <= maxOpen
		for k := range map[bool]int{true: 1 << min(len(open), maxOpen), false: samples}[all] {
			lost := map[int]bool{}
			for j, i := range open {
				lost[i] = all && k>>j&1 == 1 || !all && rng.IntN(2) == 1
			}
			folder := folderAfter(ops[:n], lost)
			key := fmt.Sprint(acked, folder)
			if tried[key] {
				continue
			}
			tried[key] = true
			states++
			dir, err := os.MkdirTemp(root, "")
			must(err)
			for name, data := range folder {
				must(os.WriteFile(filepath.Join(dir, name), data, 0o666))
			}
			if err := recovered(dir, acked); err != nil {
				return states, fmt.Errorf("after op %d: %w", n, err)
			}
		}
	}
	return states, nil
}

// The power is cut at any moment, and what was not synced reaches the disk in any part and order: every unit that was
// acknowledged is there, and every shard that is listed. Without one kind of sync the same test finds a loss.
func TestPowerCut(t *testing.T) {
	if dir := os.Getenv(powerDirEnv); dir != "" {
		writeWithAcks(dir)
		os.Exit(0)
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace: install it")
	}
	dir, trace := t.TempDir(), filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command(strace, "-f", "-y", "-s", "100000", "-o", trace, "-e",
		"trace=openat,write,lseek,fsync,renameat", os.Args[0], "-test.run=^TestPowerCut$")
	cmd.Env = append(os.Environ(), powerDirEnv+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "ptrace") {
			t.Skipf("strace may not trace here: %s", out)
		}
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(trace)
	must(err)
	ops := parseTrace(string(text), dir)
	for name, data := range folderAfter(ops, nil) {
		if now, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(now, data) {
			t.Fatalf("%s: the trace says %q, the file has %q (%v)", name, data, now, err)
		}
	}
	temps := map[int]bool{} // files that are renamed
	for _, o := range ops {
		temps[o.file] = temps[o.file] || o.from != ""
	}
	for _, c := range []struct {
		name string
		lost func(s fileOp) bool
	}{
		{"all syncs", func(fileOp) bool { return false }},
		{"no sync before a rename", func(s fileOp) bool { return temps[s.file] }},
		{"no sync of the folder", func(s fileOp) bool { return s.file == 0 }},
		{"no sync of the journal", func(s fileOp) bool { return s.file != 0 && !temps[s.file] }},
	} {
		less := slices.Clone(ops)
		for i := range less {
			if less[i].call == "sync" && c.lost(less[i]) {
				less[i].call = "nothing"
			}
		}
		states, wrong := cuts(t.TempDir(), less)
		t.Logf("%s: %d ops, %d different folders: %v", c.name, len(ops), states, wrong)
		if planted := c.name != "all syncs"; planted != (wrong != nil) {
			t.Errorf("%s: %v", c.name, wrong)
		}
	}
}
