//go:build ignore

package exporter

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"
)

// ComputeFilename is computing the filename to use for the export file.
// The template may use {{ .Hostname}}, {{ .Timestamp}} (in seconds), {{ .Format}} and {{ .Batch}}: digits that no other
// call gets, on this host or on another one.
func ComputeFilename(template *template.Template, format string) (string, error) {
	return newFilenameFields(context.Background(), format).render(template)
}

// ComputeBatchFilename is ComputeFilename for a file, or an object in a bucket, that holds one batch of events and that
// must not take the place of another one. If the template leaves {{ .Batch}} out, its digits follow those of
// {{ .Timestamp}}; if it leaves that out too, they are put before the extension.
//
// With the context of an Export, all attempts to export a batch get the same name (as long as the template and the host
// stay the same), so that a second upload takes the place of the first one: see AttemptFrom.
func ComputeBatchFilename(ctx context.Context, template *template.Template, format string) (string, error) {
	fields := newFilenameFields(ctx, format)
	name, err := fields.render(template)
	if err != nil || strings.Contains(name, fields.Batch) {
		return name, err
	}
	fields.Timestamp += fields.Batch
	name, err = fields.render(template)
	if err != nil || strings.Contains(name, fields.Batch) {
		return name, err
	}
	extension := filepath.Ext(name)
	return strings.TrimSuffix(name, extension) + "-" + fields.Batch + extension, nil
}

// filenameFields is what the template of a filename can use.
type filenameFields struct {
	Hostname  string
	Timestamp string
	Format    string
	Batch     string
}

func newFilenameFields(ctx context.Context, format string) filenameFields {
	hostname, _ := os.Hostname()
	began, distinct := time.Now(), randomNumber()
	if attempt, ok := AttemptFrom(ctx); ok {
		began, distinct = attempt.Began, attempt.number()
	}
	return filenameFields{
		Hostname:  hostname,
		Timestamp: strconv.FormatInt(began.Unix(), 10),
		Format:    strings.ToLower(format),
		// The fraction of the second, so that names sort by the time of their export, and a number, because others may
		// export at the same time, in other processes on a host of the same name as well.
		Batch: fmt.Sprintf("%09d%012d", began.Nanosecond(), distinct%1e12),
	}
}

func (f filenameFields) render(template *template.Template) (string, error) {
	var name strings.Builder
	err := template.Execute(&name, f)
	return name.String(), err
}

// number is the same for all attempts of a batch, and differs from that of other batches and of other processes.
func (a Attempt) number() uint64 {
	id := fmt.Sprintf("%d %d %d %s", processNumber(), a.First, a.Last, a.ConsumerID)
	hash := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint64(hash[:])
}

// processNumber tells this process from others.
var processNumber = sync.OnceValue(randomNumber)

func randomNumber() uint64 {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return binary.BigEndian.Uint64(random[:])
}
