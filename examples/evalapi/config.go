package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/offlock/offlock/exporter/spool"
)

const (
	defaultAddr            = "127.0.0.1:1031"
	defaultFlushInterval   = time.Minute      // the library's own default
	defaultMaxEvents       = 100_000          // the library's own default
	defaultShutdownTimeout = 30 * time.Second // what Kubernetes gives a pod
)

// config is what the service was told by its environment, checked.
type config struct {
	addr            string
	redisAddr       string
	redisPrefix     string
	bucket          string
	s3Path          string
	s3PathStyle     bool
	aws             aws.Config
	flushInterval   time.Duration
	maxEvents       int64
	jitter          time.Duration // upper end of the sleep before an upload
	nonBulk         bool
	hungExporter    bool          // add an exporter that never returns
	async           bool          // export through this module's Async and S3 exporter
	spoolDir        string        // where Async's batches go in an outage; empty: nowhere
	spoolAfter      time.Duration // of failures
	closeTimeout    time.Duration // for the last flush; 0: the fork's default, with async none. The plain library has none
	shutdownTimeout time.Duration
	logLevel        slog.Level
}

// loadConfig reads the environment. Its error lists every variable that has to be mended, not just the first.
func loadConfig(ctx context.Context) (config, error) {
	var env environment
	cfg := config{
		addr:            env.address("ADDR", defaultAddr),
		redisAddr:       env.address("REDIS_ADDR", ""),
		redisPrefix:     os.Getenv("REDIS_PREFIX"),
		bucket:          env.required("S3_BUCKET"),
		s3Path:          strings.Trim(os.Getenv("S3_PATH"), "/"),
		s3PathStyle:     env.boolean("S3_PATH_STYLE"),
		flushInterval:   env.duration("FLUSH_INTERVAL", defaultFlushInterval, time.Millisecond),
		maxEvents:       env.count("MAX_EVENTS_IN_MEMORY", defaultMaxEvents),
		jitter:          env.duration("EXPORT_JITTER", 0, 0),
		nonBulk:         env.boolean("NON_BULK"),
		hungExporter:    env.boolean("HUNG_EXPORTER"),
		async:           env.boolean("ASYNC_EXPORT"),
		spoolDir:        os.Getenv("SPOOL_DIR"),
		spoolAfter:      env.duration("SPOOL_AFTER", spool.DefaultAfter, time.Millisecond),
		closeTimeout:    env.duration("CLOSE_TIMEOUT", 0, time.Millisecond),
		shutdownTimeout: env.duration("SHUTDOWN_TIMEOUT", defaultShutdownTimeout, time.Millisecond),
		logLevel:        env.level("LOG_LEVEL", slog.LevelWarn),
	}
	if cfg.spoolDir != "" && !cfg.async {
		env.fail("SPOOL_DIR", "is set, but not ASYNC_EXPORT=true, which it is for")
	}
	cfg.aws = env.aws(ctx)
	return cfg, errors.Join(env.errs...)
}

// environment reads variables and keeps what is wrong with them.
type environment struct {
	errs []error
}

func (e *environment) fail(name, format string, args ...any) {
	e.errs = append(e.errs, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
}

func (e *environment) required(name string) string {
	value := os.Getenv(name)
	if value == "" {
		e.fail(name, "is not set")
	}
	return value
}

// address reads host:port; without a fallback the variable is required.
func (e *environment) address(name, fallback string) string {
	value := os.Getenv(name)
	if value == "" {
		value = fallback
	}
	if value == "" {
		e.fail(name, "is not set; give host:port")
		return ""
	}
	if _, _, err := net.SplitHostPort(value); err != nil {
		e.fail(name, "%q is not host:port: %v", value, err)
	}
	return value
}

func (e *environment) boolean(name string) bool {
	value := os.Getenv(name)
	if value == "" {
		return false
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		e.fail(name, "%q is neither true nor false", value)
	}
	return on
}

func (e *environment) duration(name string, fallback, atLeast time.Duration) time.Duration {
	value := os.Getenv(name)
	if value == "" {
		return fallback
	}
	d, err := time.ParseDuration(value)
	if err != nil {
		e.fail(name, "%q is not a duration such as 500ms or 10s", value)
	} else if d < atLeast {
		e.fail(name, "%v is less than %v", d, atLeast)
	}
	return d
}

func (e *environment) count(name string, fallback int64) int64 {
	value := os.Getenv(name)
	if value == "" {
		return fallback
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 {
		e.fail(name, "%q is not a whole number above 0", value)
	}
	return n
}

func (e *environment) level(name string, fallback slog.Level) slog.Level {
	value := os.Getenv(name)
	if value == "" {
		return fallback
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(value)); err != nil {
		e.fail(name, "%q is none of debug, info, warn, error", value)
	}
	return level
}

// aws resolves the AWS settings now, so that a mistake in them ends the start and not the first upload. Credentials
// that come from a role are not fetched here: a service must be able to start before its metadata service answers.
func (e *environment) aws(ctx context.Context) aws.Config {
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if id != "" && secret == "" {
		e.fail("AWS_SECRET_ACCESS_KEY", "is not set, but AWS_ACCESS_KEY_ID is")
	}
	if id == "" && secret != "" {
		e.fail("AWS_ACCESS_KEY_ID", "is not set, but AWS_SECRET_ACCESS_KEY is")
	}
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"} {
		value := os.Getenv(name)
		if value == "" {
			continue
		}
		if u, err := url.Parse(value); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			e.fail(name, "%q is not an http or https URL", value)
		}
	}
	cfg, err := awsconfig.LoadDefaultConfig(ctx)
	if err != nil {
		e.fail("AWS_*", "the AWS settings cannot be loaded: %v", err)
	} else if cfg.Region == "" {
		e.fail("AWS_REGION", "is not set, and no AWS profile names a region")
	}
	return cfg
}
