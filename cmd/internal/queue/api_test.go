package queue

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/cmd/internal/settings"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/cluster/broker"
	"github.com/assay-chess/assay/selfplay/cluster/wire"
	"github.com/assay-chess/assay/selfplay/queue"
)

// standIn are hooks whose tests are matches that nothing plays. No match has 3 games.
var standIn = &Hooks{
	Parse: func(words []string, _ Allow) (queue.Job, error) {
		s := settings.New(settings.Match, nil, settings.InQueue)
		players, err := s.Parse(words[1:])
		if err == nil && (words[0] != "match" || len(players) < 2) {
			err = Refusef("%q", words)
		}
		return queue.Job{Command: words[0], Players: players, Settings: s.Texts()}, err
	},
	Check: func(j queue.Job) error {
		if j.Settings["games"] == "3" {
			return cli.Usagef("--games 3: pairs need an even number")
		}
		return nil
	},
}

// testServer returns a queue that plays nothing, and the secrets of its keys.
func testServer(t *testing.T, roles map[string][]queue.Role) (*httptest.Server, *queue.Store, map[string]string) {
	t.Helper()
	store, err := queue.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	secrets := map[string]string{}
	for name, list := range roles {
		k := queue.Key{Name: name, Roles: list}
		if secrets[name], err = queue.SetKey(store.Dir, k); err != nil {
			t.Fatal(err)
		}
	}
	s := &server{store: store, hooks: standIn, most: 1, log: func(string) {}, started: time.Now(),
		active: map[string]*activeTest{}, pages: &report.Server{Dir: store.RunsDir()}}
	a := &api{server: s, nonces: nonces{started: s.started, used: map[string]time.Time{}},
		reading: sessions{secrets: map[string]session{}}}
	web := httptest.NewServer(a.handler())
	t.Cleanup(web.Close)
	return web, store, secrets
}

func nonce() string { return fmt.Sprintf("%d-%s", time.Now().Unix(), rand.Text()) }

// send sends a request and returns the code and the answer.
func send(t *testing.T, method, url, secret, body string, header map[string]string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	if method != http.MethodGet {
		r.Header.Set(NonceHeader, nonce())
	}
	for name, value := range header {
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

const aMatch = `{"args":["match","assay","assay:weights=shannon-1950","--games","2"]}`

// Who may do what, by role, through HTTP.
func TestRoles(t *testing.T) {
	web, store, secrets := testServer(t, map[string][]queue.Role{"reader": {queue.Read},
		"anna": {queue.Read, queue.Submit}, "bert": {queue.Read, queue.Submit},
		"chief": {queue.Read, queue.Approve}, "author": {queue.Submit}})
	secrets["stranger"], secrets["nobody"] = "assay-ABCDEFGHIJKLMNOPQRSTUVWXYZ", ""
	everyone := []string{"reader", "anna", "bert", "chief", "author", "stranger", "nobody"}
	for _, test := range []struct {
		method, path, body string
		may                string // of everyone; the others are refused
	}{
		{"GET", "/api/tests", "", "reader anna bert chief"},
		{"GET", "/api/audit", "", "reader anna bert chief"},
		{"GET", "/api/tests/of-anna", "", "reader anna bert chief"},
		{"GET", "/runs/", "", "reader anna bert chief"},
		{"POST", "/api/tests", aMatch, "anna bert author"},
		{"POST", "/api/tests", strings.Replace(aMatch, "{", `{"priority":1,`, 1), ""},
		{"PUT", "/api/objects/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855/empty", "",
			"anna bert author chief"},
		{"POST", "/api/tests/of-anna/priority", `{"priority":-1}`, "anna chief"},
		{"POST", "/api/tests/of-anna/priority", `{"priority":1}`, "chief"},
		{"POST", "/api/tests/of-anna/approve", `{}`, "chief"},
		{"POST", "/api/tests/of-anna/stop", `{}`, "anna chief"},
		{"POST", "/api/tests/of-anna/remove", `{}`, "anna chief"},
	} {
		for _, who := range everyone {
			_ = store.Move("x", "stop", "of-anna", "")
			_ = store.Move("x", "remove", "of-anna", "")
			if _, err := store.Add(queue.Test{Name: "of-anna", Job: queue.Job{Command: "match"}, Who: "anna",
				State: queue.Unapproved}); err != nil {
				t.Fatal(err)
			}
			code, text := send(t, test.method, web.URL+test.path, secrets[who], test.body, nil)
			want := http.StatusForbidden
			switch {
			case strings.Contains(" "+test.may+" ", " "+who+" "):
				want = http.StatusOK
			case who == "stranger" || who == "nobody":
				want = http.StatusUnauthorized
			}
			if code != want {
				t.Errorf("%s: %s %s: %d %s, want %d", who, test.method, test.path, code, text, want)
			}
		}
	}
	for _, e := range store.Events(0) {
		if e.What == "approve" && e.Who != "chief" {
			t.Errorf("%s approved", e.Who)
		}
	}
}

// A worker connects with a key of the role work, and with no other; a key that is deleted
// no longer connects.
func TestRolesOfWorkers(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for name, roles := range map[string][]queue.Role{"anna": {queue.Work}, "bert": {queue.Work, queue.Read}} {
		private, line, err := wire.NewKey(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := queue.SetKey(dir, queue.Key{Name: name, Roles: roles, Public: strings.Fields(line)[1]}); err != nil {
			t.Fatal(err)
		}
		files[name] = writeTemp(t, name, private)
	}
	private, _, err := wire.NewKey("carl")
	if err != nil {
		t.Fatal(err)
	}
	files["carl"] = writeTemp(t, "carl", private)
	keys, err := workerKeys(dir)
	if err != nil || len(keys) != 2 {
		t.Fatalf("%v, %v", keys, err)
	}
	b, err := broker.Start(broker.Config{Addr: "127.0.0.1:0", Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	connects := func(name string) bool {
		access := wire.Access{URL: b.URL(), Name: name, Credentials: files[name]}
		nc, err := access.Dial(t.Context())
		if err != nil {
			return false
		}
		nc.Close()
		return true
	}
	if !connects("anna") || !connects("bert") || connects("carl") {
		t.Error("workers connect by other keys than those with the role work")
	}
	if _, err := queue.SetKey(dir, queue.Key{Name: "anna"}); err != nil {
		t.Fatal(err)
	}
	if keys, err = workerKeys(dir); err != nil {
		t.Fatal(err)
	}
	if err := b.SetKeys(keys); err != nil {
		t.Fatal(err)
	}
	if connects("anna") || !connects("bert") {
		t.Error("a deleted key connects, or another does not")
	}
}

// Requests from pages of other sites, requests that were sent before, and requests to a name
// that someone made point here are refused, with keys and without.
func TestForgedRequests(t *testing.T) {
	for _, roles := range []map[string][]queue.Role{nil, {"anna": queue.Roles}} {
		web, store, secrets := testServer(t, roles)
		once, old := nonce(), fmt.Sprintf("%d-%s", time.Now().Add(-time.Hour).Unix(), rand.Text())
		if code, text := send(t, "POST", web.URL+"/api/tests", secrets["anna"], aMatch,
			map[string]string{NonceHeader: once}); code != http.StatusOK {
			t.Fatalf("a fair request: %d %s", code, text)
		}
		if code, text := send(t, "POST", web.URL+"/api/tests", secrets["anna"], aMatch,
			map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": web.URL}); code != http.StatusOK {
			t.Fatalf("a request of the page: %d %s", code, text)
		}
		for what, header := range map[string]map[string]string{
			"another site":             {"Sec-Fetch-Site": "cross-site"},
			"another port":             {"Sec-Fetch-Site": "same-site"},
			"another site, old style":  {"Origin": "https://evil.example"},
			"sent again":               {NonceHeader: once},
			"sent before the server":   {NonceHeader: old},
			"without nonce":            {NonceHeader: ""},
			"a name that points here":  {"Host": "evil.example"},
			"a nonce of the past only": {NonceHeader: "1-aaaaaaaaaaaaaaaaaaaaaaaa"},
		} {
			if code, text := send(t, "POST", web.URL+"/api/tests", secrets["anna"], aMatch,
				header); code != http.StatusForbidden && code != http.StatusBadRequest {
				t.Errorf("%s: %d %s", what, code, text)
			}
		}
		if n := len(store.Tests()); n != 2 {
			t.Errorf("%d tests", n)
		}
	}
}

// A browser's cookie reads, and changes something only in a request that the browser says to be our page's.
func TestCookie(t *testing.T) {
	web, _, secrets := testServer(t, map[string][]queue.Role{"anna": queue.Roles})
	r, err := http.NewRequestWithContext(t.Context(), "POST", web.URL+"/api/session", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secrets["anna"])
	r.Header.Set(NonceHeader, nonce())
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	cookie := answer.Header.Get("Set-Cookie")
	if !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") ||
		strings.Contains(cookie, secrets["anna"]) {
		t.Fatalf("cookie %q", cookie)
	}
	header := map[string]string{"Cookie": cookie[:strings.IndexByte(cookie, ';')]}
	if code, text := send(t, "GET", web.URL+"/api/tests", "", "", header); code != http.StatusOK {
		t.Errorf("reading: %d %s", code, text)
	}
	for site, want := range map[string]int{"": http.StatusUnauthorized, "none": http.StatusUnauthorized,
		"same-site": http.StatusForbidden, "cross-site": http.StatusForbidden, "same-origin": http.StatusOK} {
		header["Sec-Fetch-Site"] = site
		if code, text := send(t, "POST", web.URL+"/api/tests", "", aMatch, header); code != want {
			t.Errorf("a cookie adds a test, Sec-Fetch-Site %q: %d %s", site, code, text)
		}
	}
}

// The server runs nothing that was not uploaded and signed, and reads none of its own files.
func TestRefusedTests(t *testing.T) {
	web, store, _ := testServer(t, nil)
	engine := "object/" + strings.Repeat("a", 64) + "/engine"
	for _, args := range [][]string{
		{}, {"learn"}, {"match"}, {"match", "assay", "assay", "--no-such-flag"},
		{"match", "assay", "/bin/sh"}, {"match", "assay", "uci:sh -c true"}, {"match", "assay", "git:HEAD"},
		{"match", "assay", "name=x:uci:" + engine},
		{"match", "assay", "assay:weights=/etc/passwd"}, {"match", "assay", "assay", "--book", "/etc/passwd"},
		{"match", "assay", "assay", "--out", "/tmp/x"}, {"match", "assay", "assay", "--games", "3"},
	} {
		data, err := json.Marshal(submission{Args: args})
		if err != nil {
			t.Fatal(err)
		}
		if code, text := send(t, "POST", web.URL+"/api/tests", "", string(data), nil); code != http.StatusBadRequest {
			t.Errorf("%q: %d %s", args, code, text)
		}
	}
	program := []byte("uploaded, and signed by no one")
	sum := durable.SumBytes(program).SHA256
	if code, text := send(t, "PUT", web.URL+"/api/objects/"+sum+"/toy", "", string(program), nil); code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	if code, text := send(t, "POST", web.URL+"/api/tests", "", `{"args":["match","assay","uci:object/`+sum+`/toy"]}`,
		nil); code != http.StatusBadRequest || !strings.Contains(text, "no toy.sig beside the engine") {
		t.Errorf("an unsigned engine: %d %s", code, text)
	}
	if n := len(store.Tests()); n != 0 {
		t.Errorf("%d tests", n)
	}
	c := client{url: web.URL, tls: func() (*tls.Config, error) { return nil, nil }}
	if _, err := c.submit(t.Context(), submission{Job: queue.Job{Command: "match", Players: []string{"assay", "assay"}}},
		nil); err != nil {
		t.Error(err)
	}
}

func writeTemp(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A preset may be given in either form; what is accepted with a follow-up gets it, and a last word
// --preset is no preset.
func TestFollowUpOfEitherForm(t *testing.T) {
	web, store, secrets := testServer(t, map[string][]queue.Role{"anna": {queue.Submit, queue.Approve}})
	s := &server{store: store, log: func(string) {}}
	for name, words := range map[string]string{"apart": `"--preset","stc"`, "joined": `"--preset=stc"`} {
		body := fmt.Sprintf(`{"name":%q,"then":"ltc","args":["match","assay:hash=1","random",%s,"--games","2"]}`, name, words)
		if code, text := send(t, http.MethodPost, web.URL+"/api/tests", secrets["anna"], body, nil); code != http.StatusOK {
			t.Fatalf("%s: %d %s", name, code, text)
		}
		first, err := store.Test(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.follow(first); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		next, err := store.Test(name + "-ltc")
		if line := strings.Join(next.Words(), " "); err != nil || next.After != name ||
			line != "match assay:hash=1 random --games=2 --preset=ltc" {
			t.Errorf("%s: what follows is %+v, %v", name, next, err)
		}
	}
	body := `{"name":"none","then":"ltc","args":["match","a","b","--preset"]}`
	if code, text := send(t, http.MethodPost, web.URL+"/api/tests", secrets["anna"], body,
		nil); code != http.StatusBadRequest || !strings.Contains(text, "needs an argument: --preset") {
		t.Errorf("a preset without a value: %d %s", code, text)
	}
}
