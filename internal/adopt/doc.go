// Package adopt knows what adoption changes in a service, and how each change is undone.
//
// A service adopts the fork with one replace line in its go.mod. In order:
//
//   - [Open] finds the service: its module, and the workspace that it is built in.
//   - [Service.Selected] asks the go command which version of go-feature-flag the build selects, and whether
//     somebody replaces it already.
//   - [Service.Apply] writes the fork, adds the line, re-vendors a vendored service and writes the lock file.
//     All of that happens, or none of it: a journal on the disk undoes even a run that was killed.
//   - [Service.Check] finds out whether builds really use the fork that the lock file describes.
//   - [Service.Revert] takes everything back, byte for byte where the files are as apply left them.
//
// go.mod and go.work are edited as text: one line is added or removed, and every other byte (line ends, comments,
// layout) stays. go.sum keeps its lines; the ones that become unused are remembered in the lock, because a tidy
// drops them and revert has to put them back.
//
// Nothing here may run twice at once in one service: the files are those of a working copy, which has one user.
package adopt
