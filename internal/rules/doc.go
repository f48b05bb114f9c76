// Package rules holds the rules of this repository as tests: who may import whom, what the module may require,
// and that every command and path in the documentation exists. It has no code of its own.
package rules
