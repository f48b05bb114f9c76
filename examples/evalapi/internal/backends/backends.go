// Package backends runs what evalapi needs around it: a Redis with flags, an S3 whose uploads can be made slow or
// failing, and a control API over both. Redis is miniredis and S3 is gofakes3 in memory, unless real ones are named.
package backends

import (
	"context"
	"errors"
	"fmt"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// Options say what to run. The zero value runs everything here, without a flag.
type Options struct {
	// Flags is how many flags are seeded; see [FlagName].
	Flags int
	// Prefix is put before each flag's key in Redis.
	Prefix string
	// Bucket, if not empty, is made at the start, as POST /buckets/{name} of the control API makes one.
	Bucket string
	// RedisAddr, if not empty, is a real Redis (host:port) to seed in place of the built-in one. It needs a Prefix,
	// and Close removes the seeded keys again.
	RedisAddr string
	// S3Endpoint, if not empty, is a real S3 (URL) in place of the built-in one, used with the AWS settings of the
	// environment. It takes no faults, and a bucket that holds something is never emptied.
	S3Endpoint string
}

// Addresses say where the parts can be reached.
type Addresses struct {
	Redis   string `json:"redis"`   // host:port
	S3      string `json:"s3"`      // URL, path-style
	Control string `json:"control"` // URL
}

// Backends are the running parts. Make them with [Start] and end them with Close.
type Backends struct {
	addresses Addresses
	closers   []func() error
}

// Addresses are fixed once started.
func (b *Backends) Addresses() Addresses { return b.addresses }

// Start brings everything up on free local ports, or nothing and an error.
func Start(ctx context.Context, o Options) (*Backends, error) {
	b := &Backends{}
	if err := b.start(ctx, o); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *Backends) start(ctx context.Context, o Options) error {
	if o.Flags < 0 {
		return fmt.Errorf("%d flags: give 0 or more", o.Flags)
	}
	if err := b.startRedis(ctx, o); err != nil {
		return err
	}
	store, err := b.startS3(ctx, o)
	if err != nil {
		return err
	}
	if o.Bucket != "" {
		if err := store.emptyBucket(ctx, o.Bucket); err != nil {
			return fmt.Errorf("creating bucket %s: %w", o.Bucket, err)
		}
	}
	control, err := serve(controlHandler(store))
	if err != nil {
		return err
	}
	b.closers = append(b.closers, control.Close)
	b.addresses.Control = control.URL
	return nil
}

// Close ends everything, the last started first. Requests that are still waiting are cut off.
func (b *Backends) Close() error {
	var errs []error
	for i := len(b.closers) - 1; i >= 0; i-- {
		errs = append(errs, b.closers[i]())
	}
	b.closers = nil
	return errors.Join(errs...)
}

func (b *Backends) startRedis(ctx context.Context, o Options) error {
	b.addresses.Redis = o.RedisAddr
	if o.RedisAddr == "" {
		server := miniredis.NewMiniRedis()
		if err := server.Start(); err != nil {
			return fmt.Errorf("starting miniredis: %w", err)
		}
		b.closers = append(b.closers, func() error { server.Close(); return nil })
		b.addresses.Redis = server.Addr()
	} else if o.Prefix == "" {
		return errors.New("a real Redis needs a key prefix, so that its other keys are left alone")
	}
	client := redis.NewClient(&redis.Options{Addr: b.addresses.Redis})
	b.closers = append(b.closers, client.Close)
	if o.RedisAddr != "" {
		b.closers = append(b.closers, func() error { return unseed(client, o.Prefix, o.Flags) })
	}
	return Seed(ctx, client, o.Prefix, o.Flags)
}

// unseed removes the flags from a Redis that stays.
func unseed(client *redis.Client, prefix string, n int) error {
	for i := 1; i <= n; i++ {
		if err := client.Del(context.Background(), prefix+FlagName(i)).Err(); err != nil {
			return fmt.Errorf("removing flag %s from Redis: %w", FlagName(i), err)
		}
	}
	return nil
}
