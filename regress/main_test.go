package regress

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// The test binary plays the children of the process tests: what childVariable names.
const (
	childVariable = "REGRESS_TEST_CHILD"
	fifoVariable  = "REGRESS_TEST_FIFO" // a grandchild holds it open as long as it lives
)

func TestMain(m *testing.M) {
	if play := os.Getenv(childVariable); play != "" {
		playChild(play)
		return
	}
	goleak.VerifyTestMain(m)
}

func playChild(play string) {
	switch play {
	case "crash":
		fmt.Fprintln(os.Stderr, "cannot find the flags")
		os.Exit(3)
	case "babble":
		fmt.Println("hello")
	case "parent":
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{childVariable + "=grandchild", fifoVariable + "=" + os.Getenv(fifoVariable)}
		cmd.Stdin = os.Stdin
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		serve()
	case "grandchild":
		if _, err := os.OpenFile(os.Getenv(fifoVariable), os.O_WRONLY, 0); err != nil {
			panic(err)
		}
		serve()
	case "serve":
		serve()
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		serve()
	case "graceless": // ends as it was asked to, but not well
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		fmt.Println(`{"ready":true}`)
		<-asked
		fmt.Println(`{"stopped":true}`)
		os.Exit(4)
	case "heir": // has exported what it found when it is asked for the third time
		heir()
	case "unreachable":
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		fmt.Println(`{"listening":"127.0.0.1:0"}`)
		<-asked
		fmt.Println(`{"stopped":true}`)
	case "graceful":
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		fmt.Println(`{"ready":true}`)
		<-asked
		fmt.Println(`{"stopped":true}`)
	}
}

func heir() {
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var asked atomic.Int64
	go func() {
		_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"exporters":[{"exporter":"hung"},{"exporter":"s3","pending":%d}]}`, max(0, 3-asked.Add(1)))
		}))
	}()
	fmt.Printf(`{"listening":%q}`+"\n", listener.Addr())
	<-term
	if asked.Load() < 3 {
		panic("asked to stop while something was pending")
	}
	fmt.Println(`{"stopped":true,"exporters":[{"exporter":"hung"},{"exporter":"s3","exported":2,"dropped":1}]}`)
}

// serve says that it is ready, and stays until it is ended or, should a test fail to do so, until the test is gone.
func serve() {
	fmt.Println(`{"ready":true}`)
	_, _ = io.Copy(io.Discard, os.Stdin)
}
