// Package addevent measures what Manager.AddEvent and an evaluation cost, with nothing but the exported API that v1.52.1,
// v1.55.2 and the fork have in common. `offlock bench` builds it once on each of them.
package addevent
