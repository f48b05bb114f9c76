//go:build ignore

package fileexporter

import (
	"cmp"
	"strings"
)

// prepare settles what the configuration leaves open, once: an exporter may be given to several data exporters, which
// export at the same time.
func (f *Exporter) prepare() {
	f.initTemplates.Do(func() {
		f.parseTemplates()
		f.Format = strings.ToLower(cmp.Or(f.Format, "json"))
	})
}
