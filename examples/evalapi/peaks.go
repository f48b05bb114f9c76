package main

import (
	"bytes"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync"
	"time"
)

// samplePeriod is short against the waits that the scenarios provoke (65 ms and more) and cheap: three numbers.
const samplePeriod = 10 * time.Millisecond

// stats is the answer of /stats. RSSBytes and PeakRSSBytes are 0 where the system has no /proc.
type stats struct {
	Goroutines     int       `json:"goroutines"`
	PeakGoroutines int       `json:"peakGoroutines"`
	HeapBytes      int64     `json:"heapBytes"`
	RSSBytes       int64     `json:"rssBytes"`
	PeakRSSBytes   int64     `json:"peakRSSBytes"`
	Exporters      []account `json:"exporters"` // one an exporter on the fork, none on the plain library
}

// peaks samples the process and keeps the highest values.
type peaks struct {
	accounts func() []account // of the library; may overlap with everything
	statm    *os.File         // nil where the system has no /proc
	quit     chan struct{}
	done     chan struct{}

	lastMu sync.Mutex // guards last
	last   stats
}

// watchPeaks starts sampling; stop ends it.
func watchPeaks(accounts func() []account) *peaks {
	p := &peaks{accounts: accounts, quit: make(chan struct{}), done: make(chan struct{})}
	p.statm, _ = os.Open("/proc/self/statm")
	go p.watch()
	return p
}

func (p *peaks) watch() {
	defer close(p.done)
	tick := time.NewTicker(samplePeriod)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.sample()
		case <-p.quit:
			return
		}
	}
}

// stop may be called once. stats may not be called after it.
func (p *peaks) stop() {
	close(p.quit)
	<-p.done
	if p.statm != nil {
		_ = p.statm.Close()
	}
}

// stats samples once more and returns what was seen so far. The peak of the resident memory is the kernel's own where
// it keeps one, which misses nothing between two samples.
func (p *peaks) stats() stats {
	s := p.sample()
	s.PeakRSSBytes = max(s.PeakRSSBytes, peakRSS())
	return s
}

func (p *peaks) sample() stats {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	exporters := p.accounts()

	p.lastMu.Lock()
	defer p.lastMu.Unlock()
	p.last.Goroutines = runtime.NumGoroutine()
	p.last.PeakGoroutines = max(p.last.PeakGoroutines, p.last.Goroutines)
	if heap[0].Value.Kind() == metrics.KindUint64 {
		p.last.HeapBytes = int64(heap[0].Value.Uint64())
	}
	p.last.RSSBytes = p.rss()
	p.last.PeakRSSBytes = max(p.last.PeakRSSBytes, p.last.RSSBytes)
	for i := range exporters {
		exporters[i].PeakPending = exporters[i].Pending
		if i < len(p.last.Exporters) {
			exporters[i].PeakPending = max(exporters[i].Pending, p.last.Exporters[i].PeakPending)
		}
	}
	p.last.Exporters = exporters // new in each sample, so that those who hold an older one may keep it
	return p.last
}

// rss is the second field of statm, in pages.
func (p *peaks) rss() int64 {
	if p.statm == nil {
		return 0
	}
	var buf [128]byte
	n, _ := p.statm.ReadAt(buf[:], 0) // a short read is an EOF here
	fields := bytes.Fields(buf[:n])
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// peakRSS is the VmHWM line of /proc/self/status, which is in kB; 0 where there is none.
func peakRSS() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[0]) == "VmHWM:" {
			kb, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			return kb << 10
		}
	}
	return 0
}
