//go:build ignore

package exporter

import (
	"bytes"
	"strconv"
	"text/template"
	"time"

	"github.com/thomaspoignant/go-feature-flag/internal/jsonline"
)

// lineSize is the memory that a line begins with: enough for most events.
const lineSize = 320

// FormatInCSV returns what the template makes of the event.
func (f FeatureEvent) FormatInCSV(csvTemplate *template.Template) ([]byte, error) {
	return f.AppendCSV(make([]byte, 0, lineSize), csvTemplate, false)
}

// AppendCSV appends what the template makes of the event. If quoted, the fields are quoted where they must be, which is
// for a template that is made of fields and of the delimiter ';' alone. If there is an error, dst is returned.
func (f FeatureEvent) AppendCSV(dst []byte, csvTemplate *template.Template, quoted bool) ([]byte, error) {
	line, ok := appendFields(dst, csvTemplate, quoted, func(dst []byte, name string) ([]byte, bool) {
		return appendFeatureField(dst, &f, name)
	})
	if ok {
		return line, nil
	}
	printed := bytes.NewBuffer(dst)
	err := csvTemplate.Execute(printed, struct {
		FeatureEvent
		FormattedDate string
	}{f, time.Unix(f.CreationDate, 0).Format(time.RFC3339)})
	if err != nil {
		return dst, err
	}
	return printed.Bytes(), nil
}

func appendFeatureField(dst []byte, f *FeatureEvent, name string) ([]byte, bool) {
	switch name {
	case "Kind":
		return append(dst, f.Kind...), true
	case "ContextKind":
		return append(dst, f.ContextKind...), true
	case "UserKey":
		return append(dst, f.UserKey...), true
	case "CreationDate":
		return strconv.AppendInt(dst, f.CreationDate, 10), true
	case "FormattedDate":
		return time.Unix(f.CreationDate, 0).AppendFormat(dst, time.RFC3339), true
	case "Key":
		return append(dst, f.Key...), true
	case "Variation":
		return append(dst, f.Variation...), true
	case "Value":
		return appendPrinted(dst, f.Value)
	case "Default":
		return strconv.AppendBool(dst, f.Default), true
	case "Version":
		return append(dst, f.Version...), true
	case "Source":
		return append(dst, f.Source...), true
	case "Metadata":
		return appendPrinted(dst, f.Metadata)
	default:
		return dst, false
	}
}

// FormatInJSON returns the event as a line of JSON.
func (f FeatureEvent) FormatInJSON() ([]byte, error) {
	return f.AppendJSON(make([]byte, 0, lineSize))
}

// AppendJSON appends the event as a line of JSON, byte for byte what encoding/json makes of it, with a line break. If
// there is an error, dst is returned.
func (f FeatureEvent) AppendJSON(dst []byte) ([]byte, error) {
	line := appendJSONHead(dst, f.Kind, f.ContextKind, f.UserKey, f.CreationDate, f.Key)
	line = append(line, `,"variation":`...)
	line = jsonline.AppendString(line, f.Variation)
	line = append(line, `,"value":`...)
	line, err := jsonline.AppendValue(line, f.Value)
	if err != nil {
		return dst, err
	}
	line = append(line, `,"default":`...)
	line = strconv.AppendBool(line, f.Default)
	line = append(line, `,"version":`...)
	line = jsonline.AppendString(line, f.Version)
	line = append(line, `,"source":`...)
	line = jsonline.AppendString(line, f.Source)
	if len(f.Metadata) > 0 {
		line = append(line, `,"metadata":`...)
		if line, err = jsonline.AppendMap(line, f.Metadata); err != nil {
			return dst, err
		}
	}
	return append(line, "}\n"...), nil
}

// appendJSONHead appends what both types of event begin with.
func appendJSONHead(dst []byte, kind, contextKind, userKey string, creationDate int64, key string) []byte {
	dst = append(dst, `{"kind":`...)
	dst = jsonline.AppendString(dst, kind)
	if contextKind != "" {
		dst = append(dst, `,"contextKind":`...)
		dst = jsonline.AppendString(dst, contextKind)
	}
	dst = append(dst, `,"userKey":`...)
	dst = jsonline.AppendString(dst, userKey)
	dst = append(dst, `,"creationDate":`...)
	dst = strconv.AppendInt(dst, creationDate, 10)
	dst = append(dst, `,"key":`...)
	return jsonline.AppendString(dst, key)
}
