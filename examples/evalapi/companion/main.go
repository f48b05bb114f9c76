// Companion is the world around evalapi in a process of its own: Redis with flags, S3 with faults on order, and a
// control API that sets the faults and counts what S3 holds. It prints one JSON line with the addresses, and ends on
// SIGTERM, on an interrupt, or when the pipe that is its standard input is closed, so that it never outlives the process
// that drives it. Standard input that is no pipe (a terminal, /dev/null) is not looked at.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/offlock/offlock/examples/evalapi/internal/backends"
	"github.com/offlock/offlock/examples/evalapi/internal/driver"
)

func main() {
	driven := driver.Of(os.Stdin)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx = driver.Context(ctx, driven)
	context.AfterFunc(ctx, stop) // from here on a second signal ends the process at once
	err := run(ctx, os.Args[1:], driven != nil, os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "companion:", err)
		os.Exit(1)
	}
}

// run prints the addresses and keeps everything up until ctx ends. If no other process drives it, it tells the reader how
// to go on.
func run(ctx context.Context, args []string, driven bool, stdout, stderr io.Writer) error {
	var o backends.Options
	flags := flag.NewFlagSet("companion", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.Flags, "flags", 12, "how many flags to seed, named flag-1, flag-2, …")
	flags.StringVar(&o.Prefix, "prefix", "", "what to put before each flag's key in Redis")
	flags.StringVar(&o.Bucket, "bucket", "", "the bucket to make at the start (default \"events\", with a real S3 none)")
	flags.StringVar(&o.RedisAddr, "redis", "", "seed this real Redis (`host:port`), under -prefix, and run none")
	flags.StringVar(&o.S3Endpoint, "s3", "", "count in this real S3 (`URL`), with the usual AWS variables, and run none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}

	if o.Bucket == "" && o.S3Endpoint == "" {
		o.Bucket = "events"
	}

	running, err := backends.Start(ctx, o)
	if err != nil {
		return err
	}
	err = json.NewEncoder(stdout).Encode(running.Addresses())
	if err == nil {
		if !driven {
			fmt.Fprintf(stderr, "\nIn another terminal, in the folder of evalapi:\n\n  %s go run .\n\n", environment(o, running.Addresses()))
		}
		<-ctx.Done()
	}
	return errors.Join(err, running.Close())
}

// environment is what evalapi needs to use what runs here, as a shell takes it.
func environment(o backends.Options, a backends.Addresses) string {
	set := []string{"REDIS_ADDR=" + a.Redis}
	if o.Prefix != "" {
		set = append(set, "REDIS_PREFIX='"+o.Prefix+"'")
	}
	set = append(set, "S3_BUCKET="+cmp.Or(o.Bucket, "BUCKET"), "S3_PATH_STYLE=true", "AWS_ENDPOINT_URL_S3="+a.S3)
	if o.S3Endpoint == "" {
		set = append(set, "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=any", "AWS_SECRET_ACCESS_KEY=any")
	}
	return strings.Join(set, " ")
}
