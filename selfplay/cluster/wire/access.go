package wire

import (
	"bufio"
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
	"github.com/nats-io/nkeys"
)

// ErrCredentials means that a server does not let the caller in.
var ErrCredentials = errors.New("cluster: the server rejects the credentials")

// ErrEncryption means that no encrypted connection with the right server exists: the server has no certificate, or one
// that is not trusted or belongs to another host.
var ErrEncryption = errors.New("cluster: no encrypted connection with the server")

// Access says which server to connect to, and as which user.
type Access struct {
	URL  string // of one server, or of several separated by commas; without user and password
	Name string // of a worker; empty for a coordinator

	Token       string      // shared by all workers
	Credentials string      // file with a secret key (nkey seed), or NATS credentials (.creds)
	TLS         *tls.Config // nil: the system's, for tls:// URLs

	Log func(error) // receives what goes wrong while connected or waiting; may be nil
}

// CheckURL reports malformed addresses, and those with credentials, which others could read in a list of processes.
func CheckURL(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(one)
		switch {
		case err != nil:
			// does not repeat it: it may hold a password
			return errors.New("cluster: malformed address: want nats://HOST:PORT or tls://HOST:PORT")
		case u.User != nil:
			return errors.New("cluster: the address holds a password, which other users of the machine could read: " +
				"leave it out, and pass credentials in a file or in the environment")
		case u.Hostname() == "" || u.Scheme != "nats" && u.Scheme != "tls" || u.Path != "" || u.RawQuery != "":
			return fmt.Errorf("cluster: address %q: want nats://HOST:PORT or tls://HOST:PORT", one)
		}
		if port, err := strconv.Atoi(cmp.Or(u.Port(), "4222")); err != nil || port < 1 || port > 65535 {
			return fmt.Errorf("cluster: address %q: want a port from 1 to 65535", one)
		}
	}
	return nil
}

// Dial connects to a server, and retries until one answers or ctx ends. Its error wraps ErrCredentials if the server
// rejects the caller, and ErrEncryption if the server does not prove to be the right one.
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
			return nil, fmt.Errorf("%w of %s (%s): %w", ErrCredentials, cmp.Or(a.Name, "a coordinator"),
				cmp.Or(a.Credentials, "a token or none"), err)
		case untrusted(err):
			return nil, fmt.Errorf("%w: %w", ErrEncryption, err)
		}
		if errors.Is(err, nats.ErrNoServers) {
			err = errors.New("no server answers there yet")
		}
		if a.Log != nil {
			a.Log(fmt.Errorf("%w; retrying until one does", err))
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// maxDialPause is the longest pause between two attempts to connect. The first pauses are shorter, for workers that
// start together with the server.
const maxDialPause = 2 * time.Second

func refused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) ||
		errors.Is(err, nats.ErrAuthRevoked) || errors.Is(err, nats.ErrNkeysNotSupported)
}

func untrusted(err error) bool {
	var wrong *tls.CertificateVerificationError
	return errors.As(err, &wrong) || errors.Is(err, nats.ErrSecureConnWanted) || errors.Is(err, nats.ErrSecureConnRequired)
}

func (a *Access) options() ([]nats.Option, error) {
	options := []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(250*time.Millisecond, time.Second),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(5 * time.Second),
		nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if a.Log != nil {
				a.Log(err)
			}
		})}
	if a.Name != "" {
		options = append(options, nats.Name(a.Name), nats.CustomInboxPrefix(inboxPrefix(a.Name)))
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
	data, err := readCredentials(a.Credentials)
	if err != nil {
		return nil, err
	}
	user := nats.UserCredentials(a.Credentials)
	if !bytes.Contains(data, []byte("BEGIN NATS USER JWT")) {
		if user, err = nats.NkeyOptionFromSeed(a.Credentials); err != nil {
			return nil, fmt.Errorf("cluster: %s: %w: want a secret key or a NATS .creds file", a.Credentials, ErrKey)
		}
	}
	return append(options, user), nil
}

// SharedUser is the user name of all workers that connect with a token.
const SharedUser = "worker"

// Key is the public half of a worker's key, an Ed25519 nkey of NATS, with the worker's name.
type Key struct{ Name, Public string }

// ErrKey is wrapped by errors about files that should hold keys.
var ErrKey = errors.New("invalid key")

// keyComment and the name are the first line of a key's file.
const keyComment = "# secret key of the assay worker "

// NewKey makes a worker's key. It returns the content of the worker's key file, and the line for the coordinator's
// list.
func NewKey(name string) (private []byte, line string, err error) {
	if err := CheckName(name); err != nil {
		return nil, "", err
	}
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", fmt.Errorf("cluster: %w", err)
	}
	defer pair.Wipe()
	seed, err := pair.Seed()
	public, e := pair.PublicKey()
	if err = errors.Join(err, e); err != nil {
		return nil, "", fmt.Errorf("cluster: %w", err)
	}
	return fmt.Appendf(nil, "%s%s\n%s\n", keyComment, name, seed), name + " " + public, nil
}

// ReadKeys reads a coordinator's list of workers: lines NAME PUBLICKEY, comments after #.
func ReadKeys(path string) ([]Key, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w; want a list of lines NAME PUBLICKEY", err)
	}
	defer f.Close()
	var keys []Key
	seen := map[string]bool{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		switch {
		case len(words) == 0:
			continue
		case len(words) != 2 || !nkeys.IsValidPublicUserKey(words[1]) || CheckName(words[0]) != nil:
			return nil, fmt.Errorf("cluster: %s, line %d: %w: want NAME and a public key, U and 55 letters and "+
				"digits", path, n, ErrKey)
		case seen[words[0]] || seen[words[1]]:
			return nil, fmt.Errorf("cluster: %s, line %d: %s or its key occurs twice: delete one of the lines", path, n,
				words[0])
		}
		seen[words[0]], seen[words[1]] = true, true
		keys = append(keys, Key{words[0], words[1]})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cluster: %s: %w", path, err)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("cluster: %s: %w: the list is empty, so no worker could connect; add lines NAME PUBLICKEY",
			path,
			ErrKey)
	}
	return keys, nil
}

// KeyName returns the worker's name in a key file that NewKey made; empty if path is empty or the file names no worker.
func KeyName(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	data, err := readCredentials(path)
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(data), "\n")
	name, ok := strings.CutPrefix(strings.TrimSpace(first), keyComment)
	if !ok || CheckName(name) != nil {
		return "", nil
	}
	return name, nil
}

func readCredentials(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		err = fmt.Errorf("cluster: credentials: %w", err)
	}
	return data, err
}
