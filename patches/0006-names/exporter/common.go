//go:build ignore

package exporter

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"
)

// ComputeFilename is computing the filename to use for the export file.
// The template may use {{ .Hostname}}, {{ .Timestamp}} (in seconds), {{ .Format}} and {{ .Batch}}: digits that no other
// call gets, on this host or on another one.
func ComputeFilename(template *template.Template, format string) (string, error) {
	return newFilenameFields(format).render(template)
}

// ComputeBatchFilename is ComputeFilename for a file, or an object in a bucket, that holds one batch of events and that
// must not take the place of another one. If the template leaves {{ .Batch}} out, its digits follow those of
// {{ .Timestamp}}; if it leaves that out too, they are put before the extension.
func ComputeBatchFilename(template *template.Template, format string) (string, error) {
	fields := newFilenameFields(format)
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

func newFilenameFields(format string) filenameFields {
	hostname, _ := os.Hostname()
	now := time.Now()
	return filenameFields{
		Hostname:  hostname,
		Timestamp: strconv.FormatInt(now.Unix(), 10),
		Format:    strings.ToLower(format),
		Batch:     newBatchDigits(now),
	}
}

func (f filenameFields) render(template *template.Template) (string, error) {
	var name strings.Builder
	err := template.Execute(&name, f)
	return name.String(), err
}

// newBatchDigits returns 9 digits for the fraction of the second, so that names sort by the time of their export, and
// 12 random ones, because other processes may export at the same time on a host of the same name.
func newBatchDigits(now time.Time) string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return fmt.Sprintf("%09d%012d", now.Nanosecond(), binary.BigEndian.Uint64(random[:])%1e12)
}
