#include "report/parts.hpp"

namespace tidegate::report {

// Colours are named once for light and once for dark; everything else refers to the names.
const char* const kStyle = R"css(
:root {
  --page: #f4f6f8; --surface: #ffffff; --ink: #18222f; --muted: #5a6779; --line: #dfe4ea; --groove: #e6eaef;
  --pass: #12734a; --pass-soft: #dff3e8; --fail: #b3261e; --fail-soft: #fbe4e2;
  --online: #2f5d9b; --burst: #0c8f8f; --burst-soft: #8fd0cf; --offline: #e6d3a8; --victim: #d99a2b;
  --save: #7a5bc0; --stop: #c45a3b; --idle: #eef1f4; --idle-edge: #cdd5de; --frame: #0c6f6f; --mark: #0c6f6f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f141a; --surface: #171e27; --ink: #e6ebf2; --muted: #98a5b6; --line: #2a3441; --groove: #29323d;
    --pass: #63d19c; --pass-soft: #14352a; --fail: #ff8a80; --fail-soft: #43201f;
    --online: #6f9fe0; --burst: #2fb9b4; --burst-soft: #1d6f6d; --offline: #6d6041; --victim: #e0a63c;
    --save: #a78be6; --stop: #e07a58; --idle: #1f2833; --idle-edge: #364251; --frame: #5fe0da; --mark: #5fd6d0;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%;
}
main { max-width: 1120px; margin: 0 auto; padding: 28px 24px 48px; }
h1, h2, h3, p, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 30px; line-height: 1.2; letter-spacing: -0.02em; font-weight: 650; }
h2 { font-size: 17px; line-height: 1.35; font-weight: 620; }
h3 { font-size: 13px; color: var(--muted); font-weight: 600; margin: 18px 0 6px; }
h3 .when { font-weight: 400; margin-left: 8px; }
small { display: block; font-size: 12px; font-weight: 400; color: var(--muted); }
.hint { font-size: 13px; color: var(--muted); margin-top: 4px; max-width: 70ch; }
.hint + *, h2 + .legend { margin-top: 12px; }

.brand { display: flex; align-items: center; gap: 8px; font-weight: 600; color: var(--muted); margin-bottom: 18px; }
.mark { width: 24px; height: 24px; fill: none; stroke: var(--mark); stroke-width: 2.2; stroke-linecap: round; }
.mark .gate { fill: var(--mark); stroke: none; opacity: .35; }
.headline { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; }
.verdict { font-weight: 600; padding: 4px 12px; border-radius: 999px; font-size: 14px; }
.verdict.pass, .chip.pass { color: var(--pass); background: var(--pass-soft); }
.verdict.fail, .chip.fail { color: var(--fail); background: var(--fail-soft); }
.chip { font-size: 12px; font-weight: 600; padding: 2px 9px; border-radius: 999px; white-space: nowrap; }
.lede { margin: 10px 0 24px; color: var(--muted); max-width: 76ch; font-size: 16px; }

section, .card, footer { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 20px 22px; }
section, footer { margin-top: 16px; }
.bars { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px; background: none; border: 0; padding: 0; margin: 0; }
.card h2 { display: flex; justify-content: space-between; align-items: flex-start; gap: 12px; margin-bottom: 10px; }
.card.failed { border-color: var(--fail); }
.check { padding: 9px 0 8px; border-top: 1px solid var(--line); }
.check .row { display: grid; grid-template-columns: 1fr auto; column-gap: 12px; align-items: baseline; font-size: 14px; }
.check .what { grid-column: 1; }
.check strong { grid-column: 2; grid-row: 1; font-weight: 620; white-space: nowrap; }
.check .limit { grid-column: 1 / 3; font-size: 12px; color: var(--muted); }
.check.failed strong { color: var(--fail); }
.cause { color: var(--fail); font-size: 13px; margin-top: 4px; }
small.cause { font-size: 12px; margin-top: 2px; }
.gauge { display: block; width: 100%; height: 4px; margin-top: 6px; }
.groove { fill: var(--groove); } .level { fill: var(--burst); } .level.over { fill: var(--fail); }
.notes { margin: 16px 0 0; padding: 12px 18px; border-left: 3px solid var(--victim); background: var(--surface); border-radius: 0 8px 8px 0; font-size: 14px; }
.notes li + li { margin-top: 6px; }

.phases { display: block; width: 100%; height: 22px; border-radius: 5px; }
.phase-list { display: flex; flex-wrap: wrap; gap: 8px 22px; margin-top: 12px; font-size: 14px; }
.phase-list li, .legend li { display: flex; align-items: center; gap: 7px; }
.phase-list strong { font-weight: 620; }
.p0 { fill: #8794a6; } .p1 { fill: #4d5b6e; } .p2 { fill: var(--online); } .p3 { fill: var(--save); }
.p4 { fill: var(--stop); } .p5 { fill: var(--victim); } .p6 { fill: var(--burst); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; font-size: 13px; color: var(--muted); }
.swatch { width: 12px; height: 12px; flex: none; }

.f-online { fill: var(--online); } .f-burst { fill: var(--burst); } .f-offline { fill: var(--offline); }
.f-victim { fill: var(--victim); } .f-save { fill: var(--save); } .f-stop { fill: var(--stop); }
.f-start { fill: var(--burst-soft); } .f-idle, .f-wait { fill: var(--idle); stroke: var(--idle-edge); stroke-width: 1; }
.f-stuck { fill: var(--fail); }

.gantt { margin-top: 12px; }
.g-row { display: grid; grid-template-columns: 250px 1fr; align-items: center; }
.g-row + .g-row { border-top: 1px solid var(--line); }
.g-axis + h3 { margin-top: 4px; }
.g-label { padding: 3px 14px 3px 0; line-height: 1.3; min-width: 0; }
.g-label b { display: block; font-weight: 560; font-size: 13px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.g-label span { font-size: 12px; color: var(--muted); }
.g-track { display: block; width: 100%; height: 24px; overflow: visible; }
.g-row:not(.g-axis) .g-track { height: 40px; }
.g-row:not(.g-axis) .g-track rect { transform: translateY(8px); }
.g-axis .g-track { height: 36px; }
.g-axis text, .u-x text { font-size: 11px; fill: var(--muted); }
.g-axis .deadline-name { fill: var(--fail); }
.grid { stroke: var(--line); stroke-width: 1; vector-effect: non-scaling-stroke; }
.deadline { stroke: var(--fail); stroke-width: 1.5; stroke-dasharray: 4 3; vector-effect: non-scaling-stroke; }

.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(66px, 1fr)); gap: 8px; }
.tile svg { display: block; width: 100%; height: auto; max-width: 92px; }
.tile .frame { fill: none; stroke: var(--line); }
.tile.whole .frame { stroke: var(--frame); stroke-width: 2; }
.tile figcaption { font-size: 11px; color: var(--muted); line-height: 1.4; }
.tile.whole figcaption { color: var(--frame); font-weight: 600; }

.usage { display: grid; grid-template-columns: 40px 1fr; grid-template-rows: 200px 20px; margin-top: 14px; }
.u-plot { grid-column: 2; grid-row: 1; width: 100%; height: 200px; display: block; }
.u-y { grid-column: 1; grid-row: 1; display: flex; flex-direction: column; justify-content: space-between; font-size: 11px; color: var(--muted); line-height: 1; margin: -5px 8px -5px 0; text-align: right; }
.u-x { grid-column: 2; grid-row: 2; width: 100%; height: 20px; overflow: visible; }

table { border-collapse: collapse; width: 100%; font-size: 13px; margin-top: 12px; }
th, td { text-align: left; padding: 8px 12px 8px 0; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; color: var(--muted); font-weight: 560; padding-top: 0; }
tbody th { font-weight: 560; overflow-wrap: anywhere; }
.compare td, .compare thead th { width: 25%; }
.compare td.bad { color: var(--fail); font-weight: 600; }
.scroll { overflow-x: auto; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(230px, 1fr)); gap: 10px 24px; margin: 12px 0 16px; }
dt { font-size: 12px; color: var(--muted); } dd { overflow-wrap: anywhere; font-size: 14px; }
footer { font-size: 14px; } footer p { color: var(--muted); font-size: 13px; }
pre { margin: 8px 0 0; padding: 10px 12px; background: var(--page); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }

@media (max-width: 860px) { .bars { grid-template-columns: 1fr; } }
@media (max-width: 640px) {
  main { padding: 18px 14px 32px; }
  section, .card, footer { padding: 16px 14px; }
  h1 { font-size: 25px; }
  .g-row { grid-template-columns: 1fr; padding: 4px 0 6px; }
  .g-axis .g-label { display: none; }
  .g-row:not(.g-axis) .g-track { height: 18px; }
  .g-row:not(.g-axis) .g-track rect { transform: translateY(-3px); }
  .g-label { display: flex; gap: 8px; align-items: baseline; justify-content: space-between; padding-right: 0; }
  .g-label span { white-space: nowrap; }
  .tiles { grid-template-columns: repeat(5, 1fr); gap: 6px; }
  .jobs thead { display: none; }
  .jobs tr { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 12px; padding: 10px 0; border-top: 1px solid var(--line); }
  .jobs th { grid-column: 1 / 3; } .jobs th, .jobs td { border: 0; padding: 0; }
  .jobs td::before { content: attr(data-head); display: block; font-size: 11px; color: var(--muted); }
  .compare { font-size: 12px; }
  .compare small { display: none; }
  .compare tbody th { width: 31%; }
}
@media print { body { background: none; } section, .card, footer { break-inside: avoid; } }
)css";

}  // namespace tidegate::report
