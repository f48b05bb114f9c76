package backends

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// flagConfig is a flag as the library reads it from a Redis key.
type flagConfig struct {
	Variations  map[string]any `json:"variations"`
	DefaultRule rule           `json:"defaultRule"`
	TrackEvents bool           `json:"trackEvents"`
	Version     string         `json:"version"`
}

// rule spreads users over the variations, in percent.
type rule struct {
	Percentage map[string]float64 `json:"percentage"`
}

// variations has one pair a flag type.
var variations = []map[string]any{
	{"on": true, "off": false},
	{"on": "blue", "off": "grey"},
	{"on": 42, "off": 7},
	{"on": 1.5, "off": 0.25},
	{"on": map[string]any{"limit": 100, "beta": true}, "off": map[string]any{"limit": 10}},
	{"on": []any{"a", "b"}, "off": []any{}},
}

// FlagName is the name of the i-th seeded flag, counted from 1: flag-1 is boolean, flag-2 a string, flag-3 an integer,
// flag-4 a float, flag-5 an object, flag-6 a list, flag-7 boolean again, and so on.
func FlagName(i int) string { return fmt.Sprintf("flag-%d", i) }

// Seed writes flags 1 to n under prefix, each with events tracked and half of the users on either variation.
func Seed(ctx context.Context, client *redis.Client, prefix string, n int) error {
	for i := 1; i <= n; i++ {
		value, err := json.Marshal(flagConfig{
			Variations:  variations[(i-1)%len(variations)],
			DefaultRule: rule{map[string]float64{"on": 50, "off": 50}},
			TrackEvents: true,
			Version:     "1",
		})
		if err != nil {
			return fmt.Errorf("flag %s: %w", FlagName(i), err)
		}
		if err := client.Set(ctx, prefix+FlagName(i), value, 0).Err(); err != nil {
			return fmt.Errorf("writing flag %s to Redis: %w", FlagName(i), err)
		}
	}
	return nil
}
