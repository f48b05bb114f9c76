package modeltest

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// More operations than rapid's default of 30, for a state that begins empty; the command line may say otherwise.
	if err := flag.Set("rapid.steps", "80"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
