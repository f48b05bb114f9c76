// Package library holds the tests of package exporter inside the library's own client: evaluations, collected events and
// Close, with exporters of each kind. (In the root module, they would ask for all that the client requires.)
package library
