package queue

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/dataset/durable"
	"github.com/assay-chess/assay/selfplay/queue"
)

// A submitter leaves a bounded number of tests, bytes of notes and of uploads; one who approves decides for himself.
func TestQuotas(t *testing.T) {
	web, store, secrets := testServer(t, map[string][]queue.Role{"anna": {queue.Submit}, "bert": {queue.Submit},
		"chief": {queue.Submit, queue.Approve, queue.Read}})
	add := func(who, body string) (int, string) {
		return send(t, http.MethodPost, web.URL+"/api/tests", secrets[who], body, nil)
	}
	for i := range maxWaiting + 1 {
		code, text := add("anna", aMatch)
		if i < maxWaiting && code != http.StatusOK ||
			i == maxWaiting && (code != http.StatusTooManyRequests || !strings.Contains(text, "20 tests of anna")) {
			t.Fatalf("test %d: %d %s", i, code, text)
		}
	}
	for _, who := range []string{"bert", "chief"} {
		if code, text := add(who, aMatch); code != http.StatusOK {
			t.Errorf("%s: %d %s", who, code, text)
		}
	}
	note := func(n int) string { return `{"note":"` + strings.Repeat("x", n) + `",` + aMatch[1:] }
	for n, want := range map[int]int{maxNote: http.StatusOK, maxNote + 1: http.StatusBadRequest,
		maxBody: http.StatusBadRequest} {
		if code, text := add("chief", note(n)); code != want {
			t.Errorf("a note of %d bytes: %d %s", n, code, text)
		}
	}
	if err := store.Note("anna", queue.Upload, "x", fmt.Sprint(int64(maxUploads-5))); err != nil {
		t.Fatal(err)
	}
	put := func(who, content string) int {
		code, _ := send(t, http.MethodPut, web.URL+"/api/objects/"+durable.SumBytes([]byte(content)).SHA256+"/file",
			secrets[who], content, nil)
		return code
	}
	if a, b, c, d := put("anna", "123456"), put("anna", "12345"), put("anna", "1"), put("bert", "123456"); a != 429 ||
		b != 200 || c != 429 || d != 200 {
		t.Errorf("uploads: %d %d %d %d", a, b, c, d)
	}
	if n := store.Uploaded("anna"); n != maxUploads {
		t.Errorf("%d bytes", n)
	}
}

// Notes of 100 kB are refused, and hundreds of the longest notes fill neither the list that a page asks for nor the
// memory, while others submit.
func TestManyNotes(t *testing.T) {
	web, store, secrets := testServer(t, map[string][]queue.Role{"anna": {queue.Submit},
		"chief": {queue.Submit, queue.Approve, queue.Read}})
	add := func(who string, note int) int {
		code, _ := send(t, http.MethodPost, web.URL+"/api/tests", secrets[who],
			`{"note":"`+strings.Repeat("x", note)+`",`+aMatch[1:], nil)
		return code
	}
	const many = 299
	var m [3]runtime.MemStats
	for i, note := range []int{100_000, maxNote} {
		runtime.GC()
		runtime.ReadMemStats(&m[i])
		for range many {
			if code := add("chief", note); (code == http.StatusOK) != (note == maxNote) {
				t.Fatalf("a note of %d bytes: %d", note, code)
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&m[2])
	_, text := send(t, http.MethodGet, web.URL+"/api/tests", secrets["chief"], "", nil)
	refused, kept := int64(m[1].HeapAlloc-m[0].HeapAlloc), int64(m[2].HeapAlloc-m[1].HeapAlloc)
	t.Logf("%d tests: %d bytes more memory if refused, %d if kept; the list has %d bytes", many, refused, kept, len(text))
	if n := len(store.Tests()); n != many || add("anna", 10) != http.StatusOK || len(text) > 1<<20 || refused > 4<<20 ||
		kept > 16<<20 {
		t.Errorf("%d tests", n)
	}
}

// The pages of the list have every test once, in their order.
func TestPagesOfTests(t *testing.T) {
	web, store, _ := testServer(t, nil)
	for range 7 {
		if _, err := store.Add(queue.Test{Job: queue.Job{Command: "match"}, Who: "x", State: queue.Queued}); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	path, pages := "/api/tests?limit=3", 0
	for ; path != ""; pages++ {
		code, text := send(t, http.MethodGet, web.URL+path, "", "", nil)
		var page tests
		if err := json.Unmarshal([]byte(text), &page); err != nil || code != http.StatusOK {
			t.Fatalf("%d %s", code, text)
		}
		var names []string
		for _, x := range page.Tests {
			names = append(names, x.Name)
		}
		if seen, path = append(names, seen...), ""; page.Older > 0 {
			path = fmt.Sprintf("/api/tests?limit=3&before=%d", page.Older)
		}
	}
	if got := strings.Join(seen, " "); pages != 3 || got != "match-1 match-2 match-3 match-4 match-5 match-6 match-7" {
		t.Errorf("%d pages: %s", pages, got)
	}
	for _, query := range []string{"limit=0", "before=-1", "limit=x"} {
		if code, text := send(t, http.MethodGet, web.URL+"/api/tests?"+query, "", "", nil); code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", query, code, text)
		}
	}
}

// What a person did wrong is 400, in the words of the command, and names no folder of the server. Every page and
// every answer has a policy.
func TestErrorsOfSubmitters(t *testing.T) {
	web, store, _ := testServer(t, nil)
	for args, want := range map[string]string{
		`"match","assay","assay","--games","3"`:                  "--games 3: pairs need an even number",
		`"match","assay","assay:weights=missing.json"`:           "was not uploaded",
		`"match","assay","uci:object/` + strings.Repeat("a", 64): "not in the store",
	} {
		if strings.HasSuffix(args, "a") {
			args += `/e"`
		}
		code, text := send(t, http.MethodPost, web.URL+"/api/tests", "", `{"args":[`+args+`]}`, nil)
		if code != http.StatusBadRequest || !strings.Contains(text, want) || strings.Contains(text, store.Dir) {
			t.Errorf("%s: %d %s", args, code, text)
		}
	}
	for _, path := range []string{"/", "/page.js", "/api/tests", "/api/none", "/runs/", "/runs/run/none"} {
		answer, err := http.Get(web.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if p := answer.Header.Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") ||
			!strings.Contains(p, "frame-ancestors 'none'") || strings.Contains(p, "script-src 'unsafe") {
			t.Errorf("%s: policy %q", path, p)
		}
	}
}

// 400 connections that send nothing leave room for others, and are closed.
func TestIdleConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := cli.HTTPServer(t.Context(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "here")
	}))
	server.ReadHeaderTimeout = 300 * time.Millisecond
	go func() { _ = server.Serve(cli.LimitConnections(l)) }()
	defer server.Close()
	closed := make(chan bool, 400)
	for range 400 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() {
			_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
			_, err := bufio.NewReader(c).ReadByte()
			closed <- err != nil && !isTimeout(err)
		}()
	}
	for range 400 {
		if !<-closed {
			t.Fatal("an idle connection stays open")
		}
	}
	answer, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}
