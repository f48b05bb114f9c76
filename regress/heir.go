package regress

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	heirBound = time.Minute           // until the next process has exported what was left: far above what it takes
	heirLook  = 20 * time.Millisecond // between two looks
)

// leaves tells whether a service has left events on disk.
func leaves(accounts []Account) bool {
	return slices.ContainsFunc(accounts, func(a Account) bool { return a.Spooled > 0 && a.Pending > 0 })
}

// inherit starts the service again, without load, where one has left events on disk, waits until they are exported, and adds
// what became of them to the accounts. As with any run, what goes wrong with the service is part of the sample.
func (b *bench) inherit(ctx context.Context, arm builtArm, env []string, result *sample) error {
	var ready struct {
		Listening string `json:"listening"`
	}
	service, err := start(ctx, "next service on "+arm.Name, arm.binary, env, startBound, &ready)
	if err != nil {
		return err
	}
	defer service.kill()
	if err := awaitExported(ctx, "http://"+ready.Listening, heirBound); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		result.trouble = append(result.trouble, err.Error())
	}
	var last stopped
	if err := service.stop(stopBound, &last); err != nil {
		result.trouble = append(result.trouble, err.Error())
	}
	bequeath(result.accounts, last.Exporters)
	return nil
}

// bequeath adds to the accounts what the next process did with events that it was not given but found.
func bequeath(accounts, heirs []Account) {
	for i, heir := range heirs {
		a := &accounts[i]
		a.Exported += heir.Exported
		a.Inherited += heir.Exported
		a.Dropped += heir.Dropped
		a.Pending -= heir.Exported + heir.Dropped
	}
}

// awaitExported waits until no exporter of the service at base has anything pending.
func awaitExported(ctx context.Context, base string, bound time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(heirLook)
	defer tick.Stop()
	for {
		stats, err := readStats(limited, client, base)
		pending := slices.ContainsFunc(stats.Exporters, func(a Account) bool { return a.Pending > 0 })
		switch {
		case limited.Err() != nil:
			return fmt.Errorf("%s after its start the next service had not exported what was left on disk", bound)
		case err != nil || !pending:
			return err
		}
		select {
		case <-tick.C:
		case <-limited.Done():
		}
	}
}
