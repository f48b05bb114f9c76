// Package modeltest holds the tests of package eventstore that need more than the standard library, and so do not travel with
// it into other modules.
//
//   - TestStoreModel runs random operations, one at a time, and compares all that a caller can see with a specification that is
//     written as plainly as can be: [pgregory.net/rapid] makes the operations and shrinks what fails.
//   - TestStoreLinearizable runs random programs in several goroutines at once, and has [github.com/anishathalye/porcupine]
//     look for an order of their calls in which the same specification would have given the same answers.
//   - TestPumpModel drives pumps whose handlers fail, panic and hang at random, and checks what was handled, how often, in which
//     order, and that it adds up.
//   - TestPlantedFaults puts one fault at a time into a copy of eventstore, and wants the tests that are named with the fault to
//     fail: those above, the fuzz target, the stress and the unit tests beside eventstore. A test that finds nothing proves
//     nothing.
//
// No goroutine may be left when the tests have ended.
package modeltest
