package queue

import (
	"crypto/rand"
	_ "embed"
	"html/template"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/assay-chess/assay/cmd/internal/report"
	"github.com/assay-chess/assay/selfplay/queue"
)

// errEmpty is the error of decoding nothing.
var errEmpty = io.EOF

// sessions are the browsers that have shown a key. Their cookies, which no script can read, stand for the key.
type sessions struct {
	mu      sync.Mutex
	secrets map[string]session
}

type session struct {
	secret string
	until  time.Time
}

const (
	sessionCookie = "assay_session"
	sessionTime   = 12 * time.Hour
	maxSessions   = 10_000
)

// secret returns the key of a session; empty if there is none.
func (s *sessions) secret(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.secrets[id]
	if time.Now().After(x.until) {
		delete(s.secrets, id)
		return ""
	}
	return x.secret
}

// login says who makes a request. A browser that shows a key gets a cookie for it; a cookie makes no other.
func (a *api) login(c *caller, w http.ResponseWriter, r *http.Request) error {
	if secret := bearer(r); secret != "" {
		id := rand.Text()
		a.reading.mu.Lock()
		if len(a.reading.secrets) > maxSessions {
			clear(a.reading.secrets)
		}
		a.reading.secrets[id] = session{secret, time.Now().Add(sessionTime)}
		a.reading.mu.Unlock()
		http.SetCookie(w, &http.Cookie{Name: sessionCookie, Value: id, Path: "/", MaxAge: int(sessionTime.Seconds()),
			HttpOnly: true, Secure: a.tls, SameSite: http.SameSiteStrictMode})
	}
	roles := []string{}
	if c.key != nil {
		for _, x := range c.key.Roles {
			roles = append(roles, string(x))
		}
	}
	return answer(w, map[string]any{"name": c.name, "roles": roles})
}

//go:embed page.html
var pageText string

//go:embed page.js
var pageScript []byte

var pageTemplate = template.Must(template.New("queue").Parse(pageText))

// page sends the page, which holds no data: its script asks for them, with a key if there
// are keys.
func (a *api) page(w http.ResponseWriter, r *http.Request) {
	access := "none"
	if c, err := a.caller(r, queue.Read); err == nil {
		if access = "reading"; c.key == nil {
			access = "open"
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; "+
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_ = pageTemplate.Execute(w, map[string]any{"Style": report.Style(), "Access": access})
}

func script(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	_, _ = w.Write(pageScript)
}
