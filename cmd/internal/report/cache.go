package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"html/template"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// cache keeps what pages show, so that it is rendered once for all who look at them.
type cache struct {
	mu      sync.Mutex
	entries map[string]*cached
	renders atomic.Int64 // how often something was rendered
}

// cached is one state of one page.
type cached struct {
	used time.Time // when it was last asked for; guarded by cache.mu

	mu     sync.Mutex // held while looking and rendering: others wait for the outcome
	looked time.Time  // when the last look began
	print  string     // what was seen then
	page   *rendering
	err    error // of the last look, or of rendering what it saw
}

// keepUnused is how long a page is kept without a request.
const keepUnused = time.Minute

// get returns the page of the key. It looks whether the page has changed unless another
// look began after notBefore, and renders the page if it has. look returns a text that
// differs when the page does.
func (c *cache) get(key string, notBefore time.Time, look func() (string, error),
	render func() (*rendering, error)) (*rendering, error) {
	e := c.entry(key)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.looked.IsZero() && !e.looked.Before(notBefore) {
		return e.page, e.err
	}
	e.looked = time.Now()
	print, err := look()
	if err == nil && e.page != nil && print == e.print {
		e.err = nil
		return e.page, nil
	}
	e.page, e.err = nil, err
	if err == nil {
		e.print = print
		c.renders.Add(1)
		e.page, e.err = render()
	}
	return e.page, e.err
}

// entry returns the entry of the key, and drops those without requests.
func (c *cache) entry(key string) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for k, e := range c.entries {
		if now.Sub(e.used) > keepUnused {
			delete(c.entries, k)
		}
	}
	if c.entries == nil {
		c.entries = map[string]*cached{}
	}
	e := c.entries[key]
	if e == nil {
		e = new(cached)
		c.entries[key] = e
	}
	e.used = now
	return e
}

// part is a part of a page that can change by itself.
type part struct {
	ID   string        `json:"id"`
	HTML template.HTML `json:"html"`
}

// rendering is a page, and its parts as the events that bring them to open pages.
type rendering struct {
	page     func() ([]byte, error) // the same each time
	sections func() ([]byte, error) // event: the ids of the sections
	parts    []renderedPart
	games    []*gallery
	outcome  *Summary // for the list of runs, which has no page of each
}

type renderedPart struct {
	id    string
	hash  uint64
	event func() ([]byte, error)
}

// hashSeed is the seed of the hashes that compare what is sent.
var hashSeed = maphash.MakeSeed()

// newRendering returns a rendering of the parts. Everything else is rendered when it is
// first asked for: page, which is called once, and the events.
func newRendering(list []part, page func() ([]byte, error)) *rendering {
	x := &rendering{page: sync.OnceValues(page)}
	ids := []string{}
	for _, p := range list {
		if p.ID != "headline" && p.ID != "status" && p.ID != "title" {
			ids = append(ids, p.ID)
		}
		x.parts = append(x.parts, renderedPart{p.ID, maphash.String(hashSeed, string(p.HTML)),
			sync.OnceValues(func() ([]byte, error) { return event("part", p) })})
	}
	x.sections = sync.OnceValues(func() ([]byte, error) { return event("sections", ids) })
	return x
}

// sendChanged sends the parts that differ from what was sent before.
func (x *rendering) sendChanged(w io.Writer, sent map[string]uint64) error {
	text, err := x.sections()
	if err == nil {
		_, err = w.Write(text)
	}
	for i := range x.parts {
		p := &x.parts[i]
		if err != nil {
			return err
		}
		if sent[p.id] == p.hash {
			continue
		}
		sent[p.id] = p.hash
		if text, err = p.event(); err == nil {
			_, err = w.Write(text)
		}
	}
	return err
}

// event returns an event of a stream.
func event(name string, data any) ([]byte, error) {
	doc, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, doc)
	return b.Bytes(), nil
}
