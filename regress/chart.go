package regress

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// chart is one SVG line chart with a log y axis, laid out and ready for the template. Coordinates are SVG units.
type chart struct {
	Title, XName  string
	Width, Height float64
	Plot          box
	XTicks        []tick
	YTicks        []tick
	Shade         *box  // the part of the run in which the sink failed
	Mark          *tick // the sink's time, on the y axis
	Lines         []line
}

type box struct{ X, Y, W, H float64 }

// tick is a labelled position on an axis.
type tick struct {
	At    float64
	Label string
}

// line is one arm's polyline.
type line struct {
	Name   string
	Series int // which colour: the arm's place among all arms
	Points string
}

// xy is a point in the units of the data.
type xy struct{ x, y float64 }

// axis maps data onto a length; log axes map the logarithm.
type axis struct {
	low, high   float64
	start, span float64 // SVG units
	log         bool
}

func (a axis) at(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		v, low, high = math.Log10(max(v, a.low)), math.Log10(low), math.Log10(high)
	}
	return a.start + a.span*(v-low)/(high-low)
}

// Sizes of a chart. Two stand side by side on a wide screen.
const (
	chartWidth, chartHeight = 620, 320
	plotLeft, plotTop       = 62, 14
	plotRight, plotBottom   = 14, 44
	plotWidth, plotHeight   = chartWidth - plotLeft - plotRight, chartHeight - plotTop - plotBottom
)

func newChart(title, xName string) chart {
	return chart{
		Title: title, XName: xName, Width: chartWidth, Height: chartHeight,
		Plot: box{plotLeft, plotTop, plotWidth, plotHeight},
	}
}

// decades is a log axis of whole decades around every value, and its ticks. It starts at low or above.
func decades(lines [][]xy, low float64, label func(float64) string, more ...float64) (axis, []tick) {
	least, most := math.Inf(1), low*10
	for _, points := range lines {
		for _, p := range points {
			least, most = min(least, p.y), max(most, p.y)
		}
	}
	for _, v := range more {
		most = max(most, v)
	}
	low = math.Pow(10, math.Floor(math.Log10(max(min(least, low*10), low))))
	high := math.Pow(10, math.Ceil(math.Log10(most)))
	y := axis{low: low, high: high, start: plotTop + plotHeight, span: -plotHeight, log: true}
	var ticks []tick
	for v := low; v <= high*1.001; v *= 10 {
		ticks = append(ticks, tick{y.at(v), label(v)})
	}
	return y, ticks
}

// plainMillis labels a power of ten.
func plainMillis(v float64) string {
	if v >= 999 {
		return fmt.Sprintf("%g s", math.Round(v)/1000)
	}
	return fmt.Sprintf("%.3g ms", v)
}

// curveChart shows latency by percentile: each decade of the x axis is one nine more.
func curveChart(s *ScenarioResult, title string, of func(*ArmResult) *Latency) chart {
	c := newChart(title, "percentile, log scale: each step is one nine more")
	lines := make([][]xy, len(s.Arms))
	farthest := 1000.0 // p99.9
	for i := range s.Arms {
		for _, p := range of(&s.Arms[i]).Curve {
			oneIn := 100 / (100 - p.Percentile)
			farthest = max(farthest, oneIn)
			lines[i] = append(lines[i], xy{oneIn, p.Ms})
		}
	}
	x := axis{low: 2, high: farthest * 1.2, start: plotLeft, span: plotWidth, log: true}
	for _, p := range []float64{50, 90, 99, 99.9, 99.99, 99.999} {
		if oneIn := 100 / (100 - p); oneIn < x.high {
			c.XTicks = append(c.XTicks, tick{x.at(oneIn), fmt.Sprintf("p%g", p)})
		}
	}
	c.drawLatency(s, lines, x)
	return c
}

// timeChart shows the worst latency of each slice of the run, by the time at which the requests arrived.
func timeChart(r *Report, s *ScenarioResult, title string, of func(*ArmResult) *Latency) chart {
	c := newChart(title, "arrival, seconds since the measured part began")
	lines := make([][]xy, len(s.Arms))
	for i := range s.Arms {
		for _, p := range of(&s.Arms[i]).Timeline {
			lines[i] = append(lines[i], xy{p.At, p.Max})
		}
	}
	c.drawLatency(s, lines, c.timeAxis(r, s))
	return c
}

// goroutineChart shows how many goroutines the service had over the run: where evaluations hide their wait.
func goroutineChart(r *Report, s *ScenarioResult) chart {
	c := newChart("goroutines of the service over the run", "seconds since the measured part began")
	lines := make([][]xy, len(s.Arms))
	for i := range s.Arms {
		for _, p := range s.Arms[i].Goroutines {
			lines[i] = append(lines[i], xy{p.At, float64(p.Count)})
		}
	}
	x := c.timeAxis(r, s)
	y, ticks := decades(lines, 1, func(v float64) string { return fmt.Sprintf("%.0f", v) })
	c.YTicks = ticks
	c.draw(s, lines, x, y)
	return c
}

// timeAxis lays out the length of a run, and shades the outage.
func (c *chart) timeAxis(r *Report, s *ScenarioResult) axis {
	length := r.Settings.RoundS
	x := axis{low: 0, high: length, start: plotLeft, span: plotWidth}
	const parts = 6
	for i := range parts + 1 {
		v := length * float64(i) / parts
		c.XTicks = append(c.XTicks, tick{x.at(v), fmt.Sprintf("%.3g", v)})
	}
	if s.OutageS > 0 {
		c.Shade = &box{plotLeft, plotTop, x.at(s.OutageS) - plotLeft, plotHeight}
	}
	return x
}

// lowestMs is where a latency axis starts at the latest: below is the machine, not the service.
const lowestMs = 0.1

// drawLatency draws lines in milliseconds and marks the sink's time.
func (c *chart) drawLatency(s *ScenarioResult, lines [][]xy, x axis) {
	y, ticks := decades(lines, lowestMs, plainMillis, s.SinkMs)
	c.YTicks = ticks
	if s.SinkMs >= y.low {
		c.Mark = &tick{y.at(s.SinkMs), "one export: " + millis(s.SinkMs)}
	}
	c.draw(s, lines, x, y)
}

// draw adds the lines; line i is of arm i.
func (c *chart) draw(s *ScenarioResult, lines [][]xy, x, y axis) {
	for i, points := range lines {
		if len(points) == 0 {
			continue
		}
		var path strings.Builder
		for _, p := range points {
			fmt.Fprintf(&path, "%.1f,%.1f ", x.at(p.x), y.at(p.y))
		}
		c.Lines = append(c.Lines, line{Name: s.Arms[i].Arm, Series: colour(s.Arms[i].Arm), Points: strings.TrimSpace(path.String())})
	}
}

// colour numbers the arms, so that each looks the same in every report.
func colour(arm string) int {
	return slices.IndexFunc(serviceArms(), func(a Arm) bool { return a.Name == arm })
}
