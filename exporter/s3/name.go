package s3

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/offlock/offlock/exporter"
)

// The templates of names that come with the package; see [Options.Filename].
const (
	// DefaultFilename sorts by time, on each host.
	DefaultFilename = "flag-variation-{{ .Hostname}}-{{ .Timestamp}}-{{ .Instance}}-{{ .First}}-{{ .Last}}.{{ .Format}}"
	// HivePartitions are folders that Athena, Spark and DuckDB read as the columns dt and hour. Put it before a name.
	HivePartitions = "dt={{ .Year}}-{{ .Month}}-{{ .Day}}/hour={{ .Hour}}/"
	// HiveFilename is the default name in Hive partitions.
	HiveFilename = HivePartitions + DefaultFilename
)

// maxKey is how many bytes the key of an object may have.
const maxKey = 1024

// namer gives batches their names. It does not change once it is made.
type namer struct {
	folder, extension string // "" or with the slash or dot
	format, hostname  string
	template          *template.Template
	complete          bool // the template alone keeps batches and processes apart
}

// nameFields is what a template can use.
type nameFields struct {
	Hostname, Timestamp, Format string
	Year, Month, Day, Hour      string
	Instance                    string
	First, Last                 int64
}

func newNamer(o Options) (*namer, error) {
	text := o.Filename
	if text == "" {
		text = DefaultFilename
	}
	parsed, err := template.New("Filename").Parse(text)
	if err != nil {
		return nil, fmt.Errorf("s3: Filename: %w", err)
	}
	hostname, _ := os.Hostname() // "" will do, as in the library
	n := &namer{extension: o.Compression.extension(), format: o.Encoder.Format(), hostname: hostname, template: parsed}
	if folder := strings.Trim(o.S3Path, "/"); folder != "" {
		n.folder = folder + "/"
	}

	// What the template tells apart shows by trying: two batches of a process, and two processes.
	sample := exporter.Batch{Instance: "0123456789abcdef", First: 1e12, Last: 2e12, Began: time.Unix(1e9, 0)}
	other, elsewhere := sample, sample
	other.First, other.Last = 3e12, 4e12
	elsewhere.Instance = "fedcba9876543210"
	var names [3]string
	for i, b := range []exporter.Batch{sample, other, elsewhere} {
		if names[i], err = n.render(b); err != nil {
			return nil, fmt.Errorf("s3: Filename: %w", err)
		}
	}
	n.complete = names[0] != names[1] && names[0] != names[2]

	key, err := n.key(sample, "")
	if err != nil {
		return nil, err
	}
	if len(key) > maxKey {
		return nil, fmt.Errorf("s3: S3Path and Filename make names of %d bytes, like %.80q…: S3 takes %d", len(key), key, maxKey)
	}
	return n, nil
}

func (n *namer) render(b exporter.Batch) (string, error) {
	began := b.Began.UTC()
	var name strings.Builder
	err := n.template.Execute(&name, nameFields{
		Hostname: n.hostname, Timestamp: strconv.FormatInt(began.Unix(), 10), Format: n.format,
		Year: began.Format("2006"), Month: began.Format("01"), Day: began.Format("02"), Hour: began.Format("15"),
		Instance: b.Instance, First: b.First, Last: b.Last,
	})
	return name.String(), err
}

// key is the name of the batch's object. The mark, if any, keeps it apart from an object that took the name before.
func (n *namer) key(b exporter.Batch, mark string) (string, error) {
	name, err := n.render(b)
	if err != nil {
		return "", fmt.Errorf("s3: Filename: %w", err)
	}
	var suffix string
	if !n.complete {
		suffix = fmt.Sprintf("-%s-%d-%d", b.Instance, b.First, b.Last)
	}
	if mark != "" {
		suffix += "-" + mark
	}
	name = insert(strings.TrimLeft(name, "/"), suffix)
	if !strings.HasSuffix(name, n.extension) {
		name += n.extension
	}
	return n.folder + name, nil
}

// insert puts the suffix before the first dot of the last element of the name. A dot at its beginning is no extension's.
func insert(name, suffix string) string {
	if suffix == "" {
		return name
	}
	base := strings.LastIndexByte(name, '/') + 1
	if base < len(name) {
		if dot := strings.IndexByte(name[base+1:], '.'); dot >= 0 {
			at := base + 1 + dot
			return name[:at] + suffix + name[at:]
		}
	}
	return name + suffix
}
