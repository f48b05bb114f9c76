// Package matrix tests every way of exporting that this module has against every way in which a sink can be unwell, and counts
// what arrives.
package matrix
