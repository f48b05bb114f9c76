package backends

import (
	"fmt"
	"net"
	"net/http"
)

// localServer is an HTTP server on a free local port.
type localServer struct {
	URL  string
	srv  *http.Server
	done chan struct{}
}

func serve(handler http.Handler) (*localServer, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening a local port: %w", err)
	}
	s := &localServer{
		URL:  "http://" + ln.Addr().String(),
		srv:  &http.Server{Handler: handler},
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		_ = s.srv.Serve(ln) // always ErrServerClosed: the listener is local and ends with Close
	}()
	return s, nil
}

// Close cuts the connections and waits for the listener's goroutine.
func (s *localServer) Close() error {
	err := s.srv.Close()
	<-s.done
	return err
}
