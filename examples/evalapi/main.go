// Evalapi is a small flag-evaluation service on go-feature-flag: flags come from Redis through the library's redis
// retriever, and every evaluation is exported to S3 by the library's own S3 exporter. It is the subject of the
// scenarios that offlock measures, and an ordinary service to try `offlock apply` on.
//
// It is configured by environment variables alone; README.md lists them. It prints one JSON line on standard output
// when it listens and one when it has stopped, and logs on standard error. It stops on SIGTERM, on an interrupt, or when
// the pipe that is its standard input is closed, so that it never outlives a process that drives it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/offlock/offlock/examples/evalapi/internal/driver"
	ffclient "github.com/thomaspoignant/go-feature-flag"
)

func main() {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx = driver.Context(ctx, driver.Of(os.Stdin))
	context.AfterFunc(ctx, release) // from here on a second signal ends the process at once
	if err := run(ctx, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "evalapi:", err)
		os.Exit(1)
	}
}

// listening is the line that says where the service can be reached. It is printed once the flags are loaded.
type listening struct {
	Listening string `json:"listening"`
}

// stopped is the last line. Stopped is false when the shutdown timeout ended the stop before everything was flushed.
type stopped struct {
	Stopped        bool      `json:"stopped"`
	CloseMS        int64     `json:"closeMS"` // how long the library's Close took, or was waited for
	PeakGoroutines int       `json:"peakGoroutines"`
	PeakRSSBytes   int64     `json:"peakRSSBytes"`
	Exporters      []account `json:"exporters"`
}

// run serves until ctx ends, then answers what is in flight, flushes the events and returns.
func run(ctx context.Context, stdout, stderr io.Writer) error {
	cfg, err := loadConfig(ctx)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: cfg.logLevel}))

	outlets, err := newOutlets(cfg, logger)
	if err != nil {
		return err
	}
	client, err := newClient(cfg, outlets, logger)
	if err != nil {
		return fmt.Errorf("loading the flags from REDIS_ADDR=%s: %w", cfg.redisAddr, err)
	}
	peaks := watchPeaks(func() []account { return accountsOf(client, outlets) })
	defer peaks.stop()
	ln, err := net.Listen("tcp", cfg.addr)
	if err != nil {
		client.Close()
		return fmt.Errorf("listening on ADDR: %w", err)
	}
	for _, o := range outlets {
		o.start()
	}
	srv := &http.Server{
		Handler: newHandler(client, peaks),
		// No write timeout: an answer that waits for an export is what this service is there to show.
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	served := make(chan struct{})
	var serveErr error // read only once served is closed
	go func() {
		defer close(served)
		serveErr = srv.Serve(ln)
	}()

	lines := json.NewEncoder(stdout)
	printErr := lines.Encode(listening{ln.Addr().String()})
	if printErr == nil {
		select {
		case <-ctx.Done():
		case <-served:
		}
	}

	closing, err := stop(cfg, srv, client, outlets, logger)
	<-served
	if !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(serveErr, err)
	}
	last := peaks.stats()
	return errors.Join(printErr, err, lines.Encode(stopped{
		Stopped: err == nil, CloseMS: closing.Milliseconds(),
		PeakGoroutines: last.PeakGoroutines, PeakRSSBytes: last.PeakRSSBytes, Exporters: last.Exporters,
	}))
}

// stop ends the service within SHUTDOWN_TIMEOUT: first the requests, then the library, whose Close flushes the events, then the
// outlets. Close takes no deadline, so it is waited for from outside; closing is how long, the outlets included.
func stop(
	cfg config, srv *http.Server, client *ffclient.GoFeatureFlag, outlets []*outlet, logger *slog.Logger,
) (closing time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), cfg.shutdownTimeout)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		return 0, fmt.Errorf("requests were still waiting after SHUTDOWN_TIMEOUT=%v, and their events were not flushed: %w",
			cfg.shutdownTimeout, errors.Join(err, srv.Close()))
	}
	began := time.Now()
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		client.Close()
		last := ctx
		if cfg.closeTimeout > 0 {
			var cancel context.CancelFunc
			last, cancel = context.WithTimeout(ctx, cfg.closeTimeout)
			defer cancel()
		}
		stopAll(last, outlets, logger)
	}()
	select {
	case <-flushed:
	case <-ctx.Done():
	}
	closing = time.Since(began)
	if ctx.Err() != nil { // also if an outlet gave up just then
		return closing, fmt.Errorf("the exporter was still busy after SHUTDOWN_TIMEOUT=%v: events that it had not sent are lost",
			cfg.shutdownTimeout)
	}
	return closing, nil
}
