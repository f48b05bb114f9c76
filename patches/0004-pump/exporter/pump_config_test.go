//go:build ignore

package exporter_test

import (
	"bytes"
	"context"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/utils/fflog"
)

// What cannot be meant is logged at the start, and the default takes its place.
func TestManager_ConfigThatCannotBeMeant(t *testing.T) {
	tests := []struct {
		name    string
		config  func(s *sink) exporter.Config
		wantLog string
		want    int // events exported at Stop
	}{
		{name: "negative interval", config: func(s *sink) exporter.Config {
			return exporter.Config{Exporter: s, FlushInterval: -time.Second}
		}, wantLog: "FlushInterval", want: 3},
		{name: "negative threshold", config: func(s *sink) exporter.Config {
			return exporter.Config{Exporter: s, MaxEventInMemory: -1}
		}, wantLog: "MaxEventInMemory", want: 3},
		{name: "no exporter", config: func(*sink) exporter.Config { return exporter.Config{} },
			wantLog: "no exporter is configured"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var lines bytes.Buffer
			logger := &fflog.FFLogger{LeveledLogger: slog.New(slog.NewTextHandler(&lines, nil))}
			s := &sink{}
			require.NotPanics(t, func() {
				manager := exporter.NewManager[exporter.FeatureEvent]([]exporter.Config{tt.config(s)}, time.Hour, logger)
				assert.Equal(t, 1, strings.Count(lines.String(), "level=ERROR"))
				assert.Contains(t, lines.String(), tt.wantLog)
				add(manager, 0, 3)
				returns(t, "Stop", manager.Stop)
			})
			assert.Len(t, s.has(), tt.want)
			assert.LessOrEqual(t, len(s.given()), 1, "the default is one export of so few events")
		})
	}
}

// What used to end the process: each case runs in one of its own.
func TestManager_NothingEndsTheProcess(t *testing.T) {
	tests := []struct {
		name          string
		reply         func(context.Context, int) error
		cleanInterval time.Duration
		wantLog       []string
	}{
		// it is a failure like another one: the events are tried again
		{name: "panic of an exporter", reply: panicOnce, cleanInterval: time.Hour,
			wantLog: []string{"out of order", "exporter_test.panicOnce"}},
		{name: "negative cleaning interval", cleanInterval: -time.Second},
	}
	const child = "MANAGER_TEST_CHILD"
	for _, tt := range tests {
		if os.Getenv(child) == tt.name {
			s := &sink{reply: tt.reply}
			manager := exporter.NewManager[exporter.FeatureEvent]([]exporter.Config{{Exporter: s}}, tt.cleanInterval,
				&fflog.FFLogger{LegacyLogger: log.New(os.Stdout, "", 0)})
			want := add(manager, 0, 3)
			manager.Stop()
			assert.Equal(t, want, s.has())
			return
		}
	}
	program, err := os.Executable()
	require.NoError(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			process := exec.CommandContext(t.Context(), program, "-test.run=^TestManager_NothingEndsTheProcess$")
			process.Env = append(os.Environ(), child+"="+tt.name)
			output, err := process.CombinedOutput()
			require.NoError(t, err, "the process has ended:\n%s", output)
			for _, want := range tt.wantLog {
				assert.Contains(t, string(output), want)
			}
		})
	}
}

func panicOnce(_ context.Context, call int) error {
	if call == 1 {
		panic("out of order")
	}
	return nil
}
