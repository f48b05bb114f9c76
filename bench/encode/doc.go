// Package encode measures how long a line of JSON or CSV takes: the library's own FormatInJSON and FormatInCSV, offlock's
// encoders, and the JSON libraries that could have been used for them. A test says which of these write the library's bytes.
package encode
