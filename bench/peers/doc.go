// Package peers measures what others do where a service hands over an event: plain queues, and the SDKs of OpenTelemetry and
// LaunchDarkly as they are shipped, with exporters that take no time. It is filled as the managers of package addevent are.
package peers
