.PHONY: test race prove check
# The command of the README: every test of the root module.
test:
	go test ./...

race:
	go test -race ./...

# The main proof, at a tenth of its length.
prove:
	go run ./cmd/offlock prove --quick

# What CI runs, on this machine.
check:
	bash .ci/run
