package main

import (
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/offlock/offlock/exporter/spool"
)

// setConfig sets the least that a service needs, and clears the rest.
func setConfig(t *testing.T) {
	for name, value := range map[string]string{
		"ADDR": "", "REDIS_ADDR": "redis:6379", "REDIS_PREFIX": "", "S3_BUCKET": "events", "S3_PATH": "",
		"S3_PATH_STYLE": "", "FLUSH_INTERVAL": "", "MAX_EVENTS_IN_MEMORY": "", "EXPORT_JITTER": "", "NON_BULK": "", "HUNG_EXPORTER": "", "CLOSE_TIMEOUT": "",
		"ASYNC_EXPORT": "", "SPOOL_DIR": "", "SPOOL_AFTER": "",
		"SHUTDOWN_TIMEOUT": "", "LOG_LEVEL": "", "AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "",
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_ENDPOINT_URL": "", "AWS_ENDPOINT_URL_S3": "",
		"AWS_PROFILE": "", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		t.Setenv(name, value)
	}
}

func TestConfigDefaults(t *testing.T) {
	setConfig(t)
	cfg, err := loadConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if cfg.addr != "127.0.0.1:1031" || cfg.flushInterval != time.Minute || cfg.maxEvents != 100_000 ||
		cfg.shutdownTimeout != 30*time.Second || cfg.jitter != 0 || cfg.nonBulk || cfg.s3PathStyle ||
		cfg.async || cfg.spoolDir != "" || cfg.spoolAfter != spool.DefaultAfter ||
		cfg.logLevel != slog.LevelWarn || cfg.aws.Region != "eu-west-1" {
		t.Errorf("%+v", cfg)
	}
}

func TestConfigErrorsNameTheVariable(t *testing.T) {
	for _, tc := range []struct{ name, value, want string }{
		{"ADDR", "1031", "not host:port"},
		{"REDIS_ADDR", "", "is not set"},
		{"REDIS_ADDR", "redis", "not host:port"},
		{"S3_BUCKET", "", "is not set"},
		{"S3_PATH_STYLE", "yes", "neither true nor false"},
		{"NON_BULK", "2", "neither true nor false"},
		{"HUNG_EXPORTER", "2", "neither true nor false"},
		{"CLOSE_TIMEOUT", "0s", "is less than 1ms"},
		{"ASYNC_EXPORT", "2", "neither true nor false"},
		{"SPOOL_DIR", "somewhere", "not ASYNC_EXPORT=true"},
		{"SPOOL_AFTER", "0s", "is less than 1ms"},
		{"FLUSH_INTERVAL", "10", "not a duration"},
		{"FLUSH_INTERVAL", "0s", "is less than 1ms"},
		{"FLUSH_INTERVAL", "-1s", "is less than 1ms"},
		{"EXPORT_JITTER", "-1s", "is less than 0s"},
		{"SHUTDOWN_TIMEOUT", "never", "not a duration"},
		{"MAX_EVENTS_IN_MEMORY", "0", "not a whole number above 0"},
		{"MAX_EVENTS_IN_MEMORY", "1e3", "not a whole number above 0"},
		{"LOG_LEVEL", "loud", "none of debug"},
		{"AWS_REGION", "", "no AWS profile names a region"},
		{"AWS_ACCESS_KEY_ID", "AK", "AWS_SECRET_ACCESS_KEY: is not set"},
		{"AWS_SECRET_ACCESS_KEY", "secret", "AWS_ACCESS_KEY_ID: is not set"},
		{"AWS_ENDPOINT_URL", "localhost:9000", "not an http or https URL"},
		{"AWS_ENDPOINT_URL_S3", "s3.example", "not an http or https URL"},
	} {
		t.Run(tc.name+"="+tc.value, func(t *testing.T) {
			setConfig(t)
			t.Setenv(tc.name, tc.value)
			_, err := loadConfig(t.Context())
			if err == nil || !strings.Contains(err.Error(), tc.name) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q and %q", err, tc.name, tc.want)
			}
		})
	}
}

func TestConfigReportsAllErrorsAtOnce(t *testing.T) {
	setConfig(t)
	t.Setenv("REDIS_ADDR", "")
	t.Setenv("S3_BUCKET", "")
	t.Setenv("NON_BULK", "maybe")
	_, err := loadConfig(t.Context())
	for _, name := range []string{"REDIS_ADDR", "S3_BUCKET", "NON_BULK"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v does not name %s", err, name)
		}
	}
}

var quotedVariable = regexp.MustCompile(`"([A-Z][A-Z0-9_]+[A-Z0-9])"`)
var tabledVariable = regexp.MustCompile("(?m)^\\| `([A-Z0-9_]+)`")

func TestREADMEListsTheVariables(t *testing.T) {
	names := func(file string, pattern *regexp.Regexp) []string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, match := range pattern.FindAllStringSubmatch(string(text), -1) {
			found = append(found, match[1])
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	// AWS_REGION is read by the SDK, and named in config.go for its error.
	if diff := cmp.Diff(names("config.go", quotedVariable), names("README.md", tabledVariable)); diff != "" {
		t.Errorf("variables of config.go and README.md (-config.go +README.md):\n%s", diff)
	}
}
