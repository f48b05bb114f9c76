//go:build ignore

// There is no such exporter yet.
package bigqueryexporter
