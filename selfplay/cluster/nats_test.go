package cluster_test

import (
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// natsServer is a server for --nats that lets everyone do everything.
type natsServer struct{ *server.Server }

func (s natsServer) URL() string { return s.ClientURL() }

func (s natsServer) Close() {
	s.Shutdown()
	s.WaitForShutdown()
}

// natsOptions configures a server on a free port, which it keeps when it is
// started again.
func natsOptions(t *testing.T) *server.Options {
	return &server.Options{Host: "127.0.0.1", Port: freePort(t), NoSigs: true, NoLog: true}
}

func startNATS(t *testing.T, o *server.Options) natsServer {
	t.Helper()
	s, err := server.NewServer(o.Clone())
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	ctx, cancel := patient(t)
	defer cancel()
	for !s.ReadyForConnections(time.Second) {
		if ctx.Err() != nil {
			t.Fatal("the server does not start")
		}
	}
	return natsServer{s}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
