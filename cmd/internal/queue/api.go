package queue

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/selfplay/cluster/coordinator"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/queue"
)

// api is the queue over HTTP: JSON for scripts below /api/, and the page. Who asks is known
// by a key; without any such keys in the store everyone who can connect may do everything, and
// then the server listens on this machine only.
//
// A request that changes something must come from this site or from no site, which keeps out
// other pages in a browser. It needs a nonce, so that the same request is refused if it is
// sent again.
type api struct {
	*server
	nonces    nonces
	reading   sessions
	uploading sync.Map // names of those whose upload is under way
	tls       bool
}

// caller is who makes a request.
type caller struct {
	name string
	key  *queue.Key // nil: the store has no keys
}

func (c *caller) may(r queue.Role) bool { return c.key == nil || c.key.May(r) }

// local is the name of all callers of a store without keys.
const local = "local"

// httpError is an error with its code.
type httpError struct {
	code int
	text string
}

func (e *httpError) Error() string { return e.text }

func refuse(code int, format string, args ...any) error {
	return &httpError{code, fmt.Errorf(format, args...).Error()}
}

// NonceHeader names the header that makes each request that changes something different:
// the time in seconds, a dash, and anything random.
const NonceHeader = "Assay-Nonce"

// Limits of what one person may leave here.
const (
	maxBody    = 128 << 10 // of a request other than an upload, in bytes
	maxWaiting = 20        // tests that wait for approval
	maxNote    = 2000      // bytes
	maxUploads = 8 << 30   // in all, in bytes
	uploadTime = 30 * time.Minute
)

// noPage is the policy of answers that are no page.
const noPage = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (a *api) handler() http.Handler {
	mux := http.NewServeMux()
	see := func(pattern string, h func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			_, err := a.caller(r, queue.Read)
			if err == nil {
				err = h(w, r)
			}
			a.answerError(w, err)
		})
	}
	change := func(pattern string, needs queue.Role, h func(*caller, http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			c, err := a.changer(r, needs)
			if err == nil {
				err = h(c, w, r)
			}
			a.answerError(w, err)
		})
	}
	mux.HandleFunc("GET /{$}", a.page)
	mux.HandleFunc("GET /page.js", script)
	change("POST /api/session", queue.Read, a.login)
	see("GET /api/tests", a.list)
	see("GET /api/tests/{name}", a.show)
	see("GET /api/workers", a.workers)
	see("GET /api/audit", a.audit)
	change("POST /api/tests", queue.Submit, a.add)
	change("POST /api/tests/{name}/{what}", queue.Submit, a.act)
	change("PUT /api/objects/{sum}/{name}", queue.Submit, a.put)
	runs := http.StripPrefix("/runs", a.pages.Handler())
	see("GET /runs/", func(w http.ResponseWriter, r *http.Request) error { runs.ServeHTTP(w, r); return nil })
	protected := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.tls && !namesThisMachine(r.Host) {
			a.answerError(w, refuse(http.StatusForbidden, "use the IP address of this server, or localhost"))
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Frame-Options", "DENY")
		w.Header().Set("Content-Security-Policy", noPage)
		protected.ServeHTTP(w, r)
	})
}

// namesThisMachine reports whether a request's host is an address or localhost: a page of
// another site could reach this server through a name that it made point here.
func namesThisMachine(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	return name == "localhost" || net.ParseIP(strings.Trim(name, "[]")) != nil
}

// bearer returns the secret of a request's header.
func bearer(r *http.Request) string {
	secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return strings.TrimSpace(secret)
}

// caller returns who makes a request, if it has the role. Our page shows the cookie of a session instead of the
// key; with it alone only a browser that says that the request is our page's changes anything.
func (a *api) caller(r *http.Request, needs queue.Role) (*caller, error) {
	keys, err := queue.Keys(a.store.Dir)
	if err != nil {
		return nil, err
	}
	if !queue.Guarded(keys) {
		return &caller{name: local}, nil
	}
	secret := bearer(r)
	if cookie, err := r.Cookie(sessionCookie); secret == "" && err == nil &&
		(r.Method == http.MethodGet || r.Header.Get("Sec-Fetch-Site") == "same-origin") {
		secret = a.reading.secret(cookie.Value)
	}
	key, err := queue.Find(keys, secret)
	if err != nil {
		return nil, refuse(http.StatusUnauthorized,
			"no valid key: send the header Authorization: Bearer KEY (%s for assay queue)", KeyEnv)
	}
	c := &caller{key.Name, &key}
	if !c.may(needs) && !(needs == queue.Submit && c.may(queue.Approve)) {
		return nil, refuse(http.StatusForbidden, "the key of %s lacks the role %s", key.Name, needs)
	}
	return c, nil
}

// changer is caller for requests that change something.
func (a *api) changer(r *http.Request, needs queue.Role) (*caller, error) {
	c, err := a.caller(r, needs)
	if err != nil {
		return nil, err
	}
	return c, a.nonces.use(r.Header.Get(NonceHeader), time.Now())
}

// nonces are those that were used lately.
type nonces struct {
	mu      sync.Mutex
	started time.Time
	used    map[string]time.Time
}

// nonceAge is how old a nonce may be, and how far ahead of our clock.
const nonceAge = 5 * time.Minute

// use refuses a nonce that was used, or is too old for that to be known.
func (n *nonces) use(text string, now time.Time) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	seconds, random, _ := strings.Cut(text, "-")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	at := time.Unix(unix, 0)
	switch {
	case err != nil || len(random) < 16 || len(text) > 100:
		return refuse(http.StatusBadRequest, "want the header %s: the time in seconds, a dash, and 16 random letters or "+
			"more", NonceHeader)
	case now.Sub(at).Abs() > nonceAge:
		return refuse(http.StatusForbidden, "the request is of %s, and the server's clock says %s: correct the clock",
			at.UTC().Format(time.DateTime), now.UTC().Format(time.DateTime))
	case at.Before(n.started.Truncate(time.Second)):
		return refuse(http.StatusForbidden, "the request is older than this server: send it again")
	case !n.used[text].IsZero():
		return refuse(http.StatusForbidden, "the request was sent before: it is not done twice")
	}
	for old, when := range n.used {
		if now.Sub(when) > 2*nonceAge {
			delete(n.used, old)
		}
	}
	n.used[text] = now
	return nil
}

// wrong makes an error about what a person wants a refusal.
func wrong(err error) error {
	if err == nil || transient(err) {
		return err
	}
	return refuse(http.StatusBadRequest, "%w", err)
}

// plain returns the text of an error without the server's folders.
func (a *api) plain(err error) string {
	dir, _ := filepath.Abs(a.store.Dir)
	sep := string(filepath.Separator)
	return strings.NewReplacer(filepath.Join(dir, "objects")+sep, "object/", dir+sep, "", dir, "the store",
		filepath.Clean(a.store.Dir)+sep, "").Replace(err.Error())
}

func (a *api) answerError(w http.ResponseWriter, err error) {
	if err == nil {
		return
	}
	code := http.StatusInternalServerError
	var coded *httpError
	var usage cli.UsageError
	switch {
	case errors.As(err, &coded):
		code = coded.code
	case errors.Is(err, queue.ErrNoTest), errors.Is(err, fs.ErrNotExist):
		code = http.StatusNotFound
	case errors.Is(err, queue.ErrState):
		code = http.StatusConflict
	case errors.As(err, &usage), errors.Is(err, queue.ErrAdd), errors.Is(err, queue.ErrObject), errors.Is(err, ErrJob),
		errors.Is(err, wire.ErrSignature):
		code = http.StatusBadRequest
	}
	if code == http.StatusInternalServerError {
		a.log(err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": a.plain(err)})
}

func answer(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may have closed the connection
	return nil
}

// Tests on a page of the list.
const (
	testsOnPage    = 50
	maxTestsOnPage = 200
)

// tests is a page of the list.
type tests struct {
	Tests []status `json:"tests"`           // in the order of their submission
	Older int      `json:"older,omitempty"` // ?before= of the next page; 0: there is none
}

// list answers with the last tests, or the last ?limit= with a number below ?before=.
func (a *api) list(w http.ResponseWriter, r *http.Request) error {
	limit, err := atLeastOne(r, "limit", testsOnPage)
	before, err2 := atLeastOne(r, "before", math.MaxInt)
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	all := slices.DeleteFunc(a.store.Tests(), func(t queue.Test) bool { return t.Number >= before })
	from := max(0, len(all)-min(limit, maxTestsOnPage))
	page := tests{Tests: a.statuses(all[from:])}
	if from > 0 {
		page.Older = all[from].Number
	}
	return answer(w, page)
}

// atLeastOne returns a number of a request, or the default.
func atLeastOne(r *http.Request, name string, otherwise int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, refuse(http.StatusBadRequest, "%s=%s: want a whole number of 1 or more", name, text)
	}
	return n, nil
}

// maxWait bounds how long a request waits for a test to end.
const maxWait = 10 * time.Minute

// show answers with one test. With ?wait=DURATION it waits until the test has ended.
func (a *api) show(w http.ResponseWriter, r *http.Request) error {
	wait, err := time.ParseDuration(r.FormValue("wait") + "0s")
	if err != nil {
		return refuse(http.StatusBadRequest, "wait=%s: want a time such as 60s", r.FormValue("wait"))
	}
	cli.ExtendRequest(w, min(wait, maxWait)+time.Minute)
	over := time.After(min(wait, maxWait))
	var t queue.Test
	for {
		changed := a.store.Changed()
		if t, err = a.store.Test(r.PathValue("name")); err != nil {
			return err
		}
		if t.State.Ended() || wait == 0 {
			break
		}
		select {
		case <-changed:
			continue
		case <-r.Context().Done():
			return nil
		case <-over:
		}
		break
	}
	return answer(w, a.statuses([]queue.Test{t})[0])
}

func (a *api) workers(w http.ResponseWriter, _ *http.Request) error {
	data, err := os.ReadFile(filepath.Join(a.store.Dir, coordinator.DirName, coordinator.WorkersName))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
	return nil
}

func (a *api) audit(w http.ResponseWriter, _ *http.Request) error {
	return answer(w, map[string]any{"events": a.store.Events(0)})
}

// submission is what a client sends to add a test: a job, or a command line, which names no files of the
// client.
type submission struct {
	Name string   `json:"name,omitempty"`
	Args []string `json:"args,omitempty"`
	queue.Job
	Note     string `json:"note,omitempty"`
	Priority int    `json:"priority,omitempty"`
	Cores    int    `json:"cores,omitempty"`
	Then     string `json:"then,omitempty"`
}

func (a *api) add(c *caller, w http.ResponseWriter, r *http.Request) error {
	var x submission
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&x); err != nil {
		return refuse(http.StatusBadRequest, "the test: %v", err)
	}
	if !c.may(queue.Submit) {
		return refuse(http.StatusForbidden, "the key of %s lacks the role submit", c.name)
	}
	if err := a.quota(c, &x); err != nil {
		return err
	}
	if x.Command == "" {
		if len(x.Args) == 0 {
			return Refusef("it is empty; want one of %s, and what follows it", strings.Join(settings.Queued, ", "))
		}
		var err error
		if x.Job, err = a.hooks.Parse(x.Args, a.allowHere); err != nil {
			return wrong(err)
		}
	}
	if err := checkThen(x.Then, &x.Job); err != nil {
		return err
	}
	job, err := a.allowed(x.Job)
	if err == nil {
		err = a.hooks.Check(job) // as it will be played
	}
	if err == nil {
		err = a.room.check(job)
	}
	if err != nil {
		return wrong(err)
	}
	t := queue.Test{Name: x.Name, Job: x.Job, Note: x.Note, Priority: x.Priority, Cores: x.Cores, Then: x.Then,
		Who: c.name, State: queue.Unapproved}
	if c.may(queue.Approve) {
		t.State, t.Approved = queue.Queued, c.name
	}
	if t, err = a.store.Add(t); err != nil {
		return err
	}
	return answer(w, t)
}

// quota refuses what is more than one person may submit.
func (a *api) quota(c *caller, x *submission) error {
	if len(x.Note) > maxNote {
		return refuse(http.StatusBadRequest, "the note has %d bytes: want %d at most", len(x.Note), maxNote)
	}
	if c.may(queue.Approve) {
		return nil
	}
	if x.Priority > 0 {
		return refuse(http.StatusForbidden, "priority %d: above 0 needs the role approve", x.Priority)
	}
	waiting := 0
	for _, t := range a.store.Tests() {
		if t.Who == c.name && t.State == queue.Unapproved {
			waiting++
		}
	}
	if waiting >= maxWaiting {
		return refuse(http.StatusTooManyRequests, "%d tests of %s wait for approval, and more are not taken: ask for it, or "+
			"remove some", waiting, c.name)
	}
	return nil
}

// allowHere refuses to read files of the server for a test that comes as a command line.
func (a *api) allowHere(player, file string) error {
	if file != "" {
		return Refusef("%s is not a file of the queue: assay queue add uploads it", file)
	}
	_, err := a.allowed(queue.Job{Command: "spsa", Players: []string{player}})
	return err
}

// act changes the state or the priority of a test. Submitters do so with their own tests.
func (a *api) act(c *caller, w http.ResponseWriter, r *http.Request) error {
	name, what := r.PathValue("name"), r.PathValue("what")
	t, err := a.store.Test(name)
	if err != nil {
		return err
	}
	var x struct {
		Priority int    `json:"priority"`
		Text     string `json:"text"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&x); err != nil &&
		!errors.Is(err, errEmpty) {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	if !c.may(queue.Approve) {
		switch {
		case what == "approve":
			return refuse(http.StatusForbidden, "the key of %s lacks the role approve", c.name)
		case t.Who != c.name:
			return refuse(http.StatusForbidden, "%s is a test of %s: others need the role approve", name, t.Who)
		case what == "priority" && x.Priority > 0:
			return refuse(http.StatusForbidden, "priority %d: above 0 needs the role approve", x.Priority)
		}
	}
	switch what {
	case "stop", "resume", "approve", "remove":
		err = a.store.Move(c.name, what, name, x.Text)
	case "priority":
		err = a.store.Prioritize(c.name, name, x.Priority)
	default:
		return refuse(http.StatusNotFound, "%q: there are stop, resume, approve, remove and priority", what)
	}
	if err != nil {
		return err
	}
	if t, err = a.store.Test(name); errors.Is(err, queue.ErrNoTest) {
		return answer(w, map[string]string{"name": name, "state": "removed"})
	}
	return answer(w, t)
}
