package cluster_test

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
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

// portsTried counts ports, so that no two tests that run at once take the same one.
var portsTried atomic.Int32

// freePort returns a port below those that systems give to connections and to listeners on port 0
// (from 32768 on Linux, 49152 elsewhere): a server that stops and starts again finds it free.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 15000 + (os.Getpid()*61+int(portsTried.Add(1)))%15000
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port between 15000 and 30000")
	return 0
}
