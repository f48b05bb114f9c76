package s3

import (
	"context"
	"errors"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"

	"github.com/offlock/offlock/exporter/encode"
)

// errEncoder ends an upload whose encoder will not.
var errEncoder = errors.New("s3: the encoder panicked")

// upload is one try to store an object.
type upload struct {
	exporter *Exporter
	client   *transfermanager.Client
	key      string

	stores int64 // requests that could have stored the object
	bytes  int64 // that were sent, after compression; set before the requests end
	parts  int   // 0 for an object in one piece
}

// run encodes the events and sends them, at the same time if they are many. Events without an encoding are returned.
func (u *upload) run(ctx context.Context, events []ffexporter.ExportableEvent) (refused []encode.Refused, err error) {
	ctx, stores := withStores(ctx)
	defer func() { u.stores = stores.Load() }()

	s := newStream(func(body io.Reader) error { return u.send(ctx, body) })
	ended := false
	defer func() { // an encoder that panics must not leave the upload waiting for it
		if !ended {
			_ = s.giveUp(errEncoder)
		}
	}()
	o := u.exporter.options
	err = o.Compression.to(s, func(w io.Writer) (err error) {
		refused, err = o.Encoder.Encode(w, events)
		return err
	})
	ended = true
	switch {
	case err != nil:
		return refused, s.giveUp(err)
	case len(refused) == len(events) && !s.spilled(): // nothing is left to store
		s.release()
		return refused, nil
	default:
		return refused, s.end()
	}
}

// send uploads what the body holds. It returns after the last use of the body.
func (u *upload) send(ctx context.Context, body io.Reader) error {
	o := u.exporter.options
	in := &transfermanager.UploadObjectInput{
		Bucket:      aws.String(o.Bucket),
		Key:         aws.String(u.key),
		ContentType: aws.String(o.Compression.contentType(o.Encoder.ContentType())),
	}
	if o.IfNoneMatch {
		in.IfNoneMatch = aws.String("*")
	}
	if o.Object != nil {
		o.Object(in)
	}
	in.Body = body
	out, err := u.client.UploadObject(ctx, in)
	if err != nil {
		return err
	}
	u.bytes, u.parts = aws.ToInt64(out.ContentLength), len(out.CompletedParts)
	return nil
}
