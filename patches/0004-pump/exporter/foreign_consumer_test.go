//go:build ignore

//offlock:delete-file
package exporter
