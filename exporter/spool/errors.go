package spool

import (
	"errors"
	"fmt"

	ffexporter "github.com/thomaspoignant/go-feature-flag/exporter"
)

// ErrTooLarge is wrapped by what Export returns for a batch that alone takes more than MaxBytes, if the inner exporter does not
// take it. Hand over smaller batches, or raise MaxBytes.
var ErrTooLarge = errors.New("spool: the batch is larger than MaxBytes")

// UnsupportedError is wrapped by what Export returns for a batch that the inner exporter does not take and that cannot be
// written to disk: it has an event which is neither a feature event nor a tracking event of the library, nor a pointer to one.
type UnsupportedError struct{ Event ffexporter.ExportableEvent }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("spool: an event of type %T cannot be written to disk; feature and tracking events can", e.Event)
}
