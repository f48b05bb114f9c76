//go:build ignore

package ffclient

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/thomaspoignant/go-feature-flag/exporter"
	"github.com/thomaspoignant/go-feature-flag/ffcontext"
	"github.com/thomaspoignant/go-feature-flag/retriever/fileretriever"
	"github.com/thomaspoignant/go-feature-flag/testutils/mock"
)

// A flag of each kind, tracked and not.
const evaluatorFlags = `
bool:    {variations: {on: true}, defaultRule: {variation: on}}
int:     {variations: {on: 7}, defaultRule: {variation: on}}
float:   {variations: {on: 1.5}, defaultRule: {variation: on}}
string:  {variations: {on: word}, defaultRule: {variation: on}}
array:   {variations: {on: [1]}, defaultRule: {variation: on}}
object:  {variations: {on: {a: 1}}, defaultRule: {variation: on}}
silent:  {variations: {on: true}, defaultRule: {variation: on}, trackEvents: false}
`

// newEvaluator makes a client with the flags above.
func newEvaluator(t *testing.T, exporters ...DataExporter) *GoFeatureFlag {
	t.Helper()
	file := filepath.Join(t.TempDir(), "flags.yaml")
	require.NoError(t, os.WriteFile(file, []byte(evaluatorFlags), 0o600))
	client, err := New(Config{
		Retriever:       &fileretriever.Retriever{Path: file},
		PollingInterval: time.Hour,
		DataExporters:   exporters,
	})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

// The events of one goroutine are exported in the order of its evaluations.
func TestVariation_OrderOfEvents(t *testing.T) {
	const goroutines, evaluations = 4, 500
	sink := &mock.Exporter{Bulk: true}
	client := newEvaluator(t, DataExporter{Exporter: sink})
	var running sync.WaitGroup
	for g := range goroutines {
		running.Go(func() {
			for i := range evaluations {
				user := ffcontext.NewEvaluationContext(fmt.Sprintf("%d/%d", g, i))
				_, err := client.BoolVariation("bool", user, false)
				assert.NoError(t, err)
			}
		})
	}
	running.Wait()
	client.Close()

	next := make([]int, goroutines)
	exported := sink.GetExportedEvents()
	require.Len(t, exported, goroutines*evaluations)
	for _, event := range exported {
		var g, i int
		_, err := fmt.Sscanf(event.(exporter.FeatureEvent).UserKey, "%d/%d", &g, &i)
		require.NoError(t, err)
		require.Equal(t, next[g], i, "order of goroutine %d", g)
		next[g]++
	}
}

// stackManager notes where it is called from.
type stackManager struct {
	exporter.Manager[exporter.FeatureEvent]
	mutex  sync.Mutex
	stacks []string
}

func (m *stackManager) AddEvent(exporter.FeatureEvent) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.stacks = append(m.stacks, string(debug.Stack()))
}

func (m *stackManager) Stop() {}

func (m *stackManager) get() []string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.stacks
}

// An evaluation adds its event itself, and has done so when it returns.
func TestVariation_NoGoroutineForAnEvent(t *testing.T) {
	user := ffcontext.NewEvaluationContext("user")
	tests := map[string]func(*GoFeatureFlag) (any, error){
		"BoolVariation":      func(g *GoFeatureFlag) (any, error) { return g.BoolVariation("bool", user, false) },
		"IntVariation":       func(g *GoFeatureFlag) (any, error) { return g.IntVariation("int", user, 1) },
		"Float64Variation":   func(g *GoFeatureFlag) (any, error) { return g.Float64Variation("float", user, 1) },
		"StringVariation":    func(g *GoFeatureFlag) (any, error) { return g.StringVariation("string", user, "") },
		"JSONArrayVariation": func(g *GoFeatureFlag) (any, error) { return g.JSONArrayVariation("array", user, nil) },
		"JSONVariation":      func(g *GoFeatureFlag) (any, error) { return g.JSONVariation("object", user, nil) },
		"RawVariation":       func(g *GoFeatureFlag) (any, error) { return g.RawVariation("bool", user, nil) },
	}
	client := newEvaluator(t)
	for name, evaluate := range tests {
		t.Run(name, func(t *testing.T) {
			manager := &stackManager{}
			client.featureEventDataExporter = manager
			_, err := evaluate(client)
			require.NoError(t, err)
			stacks := manager.get()
			require.Len(t, stacks, 1)
			assert.Contains(t, stacks[0], "."+name+"(", "where the event was added")
		})
	}
}

// Where no exporter wants to know, a flag that is tracked costs no more than one that is not.
func TestVariation_NoCostWithoutExporter(t *testing.T) {
	client := newEvaluator(t)
	user := ffcontext.NewEvaluationContext("user")
	allocations := func(flag string) float64 {
		return testing.AllocsPerRun(100, func() { _, _ = client.BoolVariation(flag, user, false) })
	}
	assert.Equal(t, allocations("silent"), allocations("bool"))
}

// heldManager does not return from AddEvent before it is released.
type heldManager struct {
	exporter.Manager[exporter.FeatureEvent]
	released chan struct{}
}

func (m *heldManager) AddEvent(exporter.FeatureEvent) { <-m.released }

func (m *heldManager) Stop() {}

// A client may be closed while a flag is evaluated, and Close has nothing to wait for. It is for the race detector, too: the
// test looks at stacks, because anything else that told it how far the evaluation is would order the two.
func TestVariation_DuringClose(t *testing.T) {
	client := newEvaluator(t)
	manager := &heldManager{released: make(chan struct{})}
	client.featureEventDataExporter = manager
	user := ffcontext.NewEvaluationContext("user")
	var running sync.WaitGroup
	running.Go(func() { _, _ = client.BoolVariation("bool", user, false) })
	require.Eventually(t, func() bool {
		stacks := make([]byte, 1<<20)
		return bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("(*heldManager).AddEvent"))
	}, 5*time.Second, 20*time.Millisecond)

	closed := make(chan struct{})
	running.Go(func() {
		client.Close()
		close(closed)
	})
	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		assert.Fail(t, "Close waits for an evaluation")
	}
	close(manager.released)
	running.Wait()
}
