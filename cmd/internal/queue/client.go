package queue

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-chess/assay/cmd/internal/cli"
	"github.com/assay-chess/assay/selfplay/queue"
)

const (
	// KeyEnv names the variable with the secret key.
	KeyEnv = "ASSAY_QUEUE_KEY"
	// urlEnv names the variable with the queue's address.
	urlEnv = "ASSAY_QUEUE"
	// defaultHTTP is where a queue listens.
	defaultHTTP = "127.0.0.1:8348"
)

// client talks to a queue.
type client struct {
	url   string
	tls   func() (*tls.Config, error)
	fresh *http.Client
}

func (c *client) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.url, "queue", "", "address of the queue (default: $"+urlEnv+", or http://"+defaultHTTP+")")
}

// address returns the queue's address.
func (c *client) address() (string, error) {
	text := cmp.Or(c.url, os.Getenv(urlEnv), "http://"+defaultHTTP)
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return "", cli.Usagef("--queue %s: want http://HOST:PORT or https://HOST:PORT", text)
	}
	if u.Scheme == "http" && os.Getenv(KeyEnv) != "" && !loopbackHost(u.Hostname()) {
		return "", cli.Usagef("--queue %s: others on the network could read the key: use https://", text)
	}
	return strings.TrimSuffix(text, "/"), nil
}

// do sends a request, and returns and decodes the answer.
func (c *client) do(ctx context.Context, method, path string, body io.Reader, to any) ([]byte, error) {
	address, err := c.address()
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, address+path, body)
	if err != nil {
		return nil, err
	}
	if key := os.Getenv(KeyEnv); key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if method != http.MethodGet {
		r.Header.Set(NonceHeader, fmt.Sprintf("%d-%s", time.Now().Unix(), rand.Text()))
	}
	if c.fresh == nil {
		config, err := c.tls()
		if err != nil {
			return nil, err
		}
		c.fresh = &http.Client{Transport: &http.Transport{TLSClientConfig: config, Proxy: http.ProxyFromEnvironment,
			DisableKeepAlives: true}}
	}
	answer, err := c.fresh.Do(r)
	var unknown x509.UnknownAuthorityError
	if errors.As(err, &unknown) {
		return nil, fmt.Errorf("%s: %w; set ASSAY_TLS_CA to the file with the certificate of the queue, or of its authority",
			address, unknown)
	}
	if err != nil {
		return nil, fmt.Errorf("no queue answers at %s: %w; start one with assay queue serve, or name another with --queue "+
			"or "+
			"%s", address, err, urlEnv)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		var e struct {
			Error string `json:"error"`
		}
		if json.Unmarshal(data, &e) != nil || e.Error == "" {
			e.Error = fmt.Sprintf("%s: %s", address, answer.Status)
			if bytes.Contains(data, []byte("HTTPS server")) {
				e.Error += ": the queue is encrypted: use https://"
			}
		}
		return nil, errors.New(e.Error)
	}
	if err := json.Unmarshal(data, to); err != nil {
		return nil, fmt.Errorf("%s%s: %w: is it a queue of another version?", address, path, err)
	}
	return data, nil
}

// post sends a value that changes or adds a test, and returns the test.
func (c *client) post(ctx context.Context, path string, v any) (t queue.Test, err error) {
	data, err := json.Marshal(v)
	if err == nil {
		_, err = c.do(ctx, http.MethodPost, path, bytes.NewReader(data), &t)
	}
	return t, err
}

// act changes a test, as the last word of the path says.
func (c *client) act(ctx context.Context, test, what string, v any) (queue.Test, error) {
	return c.post(ctx, "/api/tests/"+url.PathEscape(test)+"/"+what, v)
}

// submit uploads the files of a test, and adds the test.
func (c *client) submit(ctx context.Context, x submission, files []upload) (queue.Test, error) {
	for _, f := range files {
		if err := c.upload(ctx, f); err != nil {
			return queue.Test{}, fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return c.post(ctx, "/api/tests", &x)
}

func (c *client) upload(ctx context.Context, f upload) error {
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	var done map[string]string
	_, err = c.do(ctx, http.MethodPut, "/api/objects/"+f.sum+"/"+f.name, file, &done)
	return err
}
