package wire

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// ErrCredentials says that a server does not let somebody in.
var ErrCredentials = errors.New("cluster: the server does not accept the credentials")

// ErrEncryption says that there is no encrypted connection with the right server: its
// certificate is not one that is trusted, or is another's, or it has none.
var ErrEncryption = errors.New("cluster: no encrypted connection with the server")

// Access says which server to connect with, and as whom.
type Access struct {
	URL  string // of one server, or of several with commas between; without user and password
	Name string // of a worker; empty for a coordinator

	Token       string      // shared by all workers
	Credentials string      // file with a secret key (nkey seed), or NATS credentials (.creds)
	TLS         *tls.Config // nil: the system's, for tls:// URLs

	Log func(error) // told what the server refuses later on; may be nil
}

// CheckURL reports addresses that hold credentials, which others could read in a list of
// processes, and those that are none.
func CheckURL(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		if err := checkOne(one); err != nil {
			return err
		}
	}
	return nil
}

func checkOne(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("cluster: that is no address: want nats://HOST:PORT or tls://HOST:PORT") // it may hold a password
	case u.User != nil:
		return errors.New("cluster: an address does not hold a password: others could read it; credentials come from a file or the environment")
	case u.Hostname() == "" || u.Scheme != "nats" && u.Scheme != "tls" || u.Path != "" || u.RawQuery != "":
		return fmt.Errorf("cluster: address %q: want nats://HOST:PORT or tls://HOST:PORT", text)
	}
	if port, err := strconv.Atoi(cmp.Or(u.Port(), "4222")); err != nil || port < 1 || port > 65535 {
		return fmt.Errorf("cluster: address %q: want a port from 1 to 65535", text)
	}
	return nil
}

// Dial connects with a server, and goes on trying while there is none. What the server
// refuses is an error that wraps ErrCredentials; a server that cannot be trusted to be the
// right one, ErrEncryption.
func (a *Access) Dial(ctx context.Context) (*nats.Conn, error) {
	options, err := a.options()
	if err != nil {
		return nil, err
	}
	for wait := maxDialPause / 16; ; wait = min(2*wait, maxDialPause) {
		nc, err := nats.Connect(a.URL, options...)
		switch {
		case err == nil:
			return nc, nil
		case refused(err):
			return nil, fmt.Errorf("%w of %s: %w", ErrCredentials, a.identity(), err)
		case untrusted(err):
			return nil, fmt.Errorf("%w: %w", ErrEncryption, err)
		}
		if a.Log != nil {
			a.Log(notConnectedYet(err))
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// who says who wants to be let in, and what it showed; never what is secret of it.
func (a *Access) identity() string {
	name := "a coordinator"
	if a.Name != "" {
		name = "worker " + a.Name
	}
	switch {
	case a.Credentials != "":
		return name + ", which are in " + a.Credentials
	case a.Token != "":
		return name + ", a token"
	}
	return name + ", who has none"
}

// redial is the longest pause between two attempts to connect; the first are shorter, for
// who begins together with the server.
const maxDialPause = 2 * time.Second

// waiting says why there is no connection yet.
func notConnectedYet(err error) error {
	if errors.Is(err, nats.ErrNoServers) {
		return errors.New("no server answers there yet; trying again until one does")
	}
	return fmt.Errorf("%w; trying again until there is a server", err)
}

func refused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked) ||
		errors.Is(err, nats.ErrNkeysNotSupported)
}

func untrusted(err error) bool {
	var wrong *tls.CertificateVerificationError
	return errors.As(err, &wrong) || errors.Is(err, nats.ErrSecureConnWanted) || errors.Is(err, nats.ErrSecureConnRequired)
}

func (a *Access) options() ([]nats.Option, error) {
	options := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, time.Second),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(5 * time.Second),
		nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if a.Log != nil {
				a.Log(err)
			}
		})}
	if a.Name != "" {
		options = append(options, nats.Name(a.Name), nats.CustomInboxPrefix(InboxPrefix(a.Name)))
	}
	if a.TLS != nil {
		options = append(options, nats.Secure(a.TLS))
	}
	if a.Token != "" {
		options = append(options, nats.UserInfo(SharedUser, a.Token))
	}
	if a.Credentials == "" {
		return options, nil
	}
	data, err := os.ReadFile(a.Credentials)
	if err != nil {
		return nil, fmt.Errorf("cluster: credentials: %w", err)
	}
	if bytes.Contains(data, []byte("BEGIN NATS USER JWT")) {
		return append(options, nats.UserCredentials(a.Credentials)), nil
	}
	o, err := seedOption(data)
	if err != nil {
		return nil, fmt.Errorf("cluster: %s: %w: want a secret key, as assay work --new-key writes it, or a .creds file of NATS", a.Credentials, ErrKey)
	}
	return append(options, o), nil
}

// seedOption connects with a secret key.
func seedOption(file []byte) (nats.Option, error) {
	pair, err := readSeed(file)
	if err != nil {
		return nil, err
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, err
	}
	return nats.Nkey(public, pair.Sign), nil
}
