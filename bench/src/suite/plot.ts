import type { Row } from './run-suite.ts';
import { median } from './times.ts';

const WIDTH = 760;
const LABELS = 400;
const BAR = 16;
const GAP = 10;
const TOP = 44;
/** Ratios from here on end at the edge, with their number beside. */
const MAX_RATIO = 2;

/** Draws the ratios to the floor as an SVG: one bar a metric, the floor as a line. */
export function plotRatios(rows: readonly Row[]): string {
  const bars = rows.filter(({ floor }) => floor.length > 0);
  const scale = (ratio: number): number => (Math.min(ratio, MAX_RATIO) / MAX_RATIO) * (WIDTH - LABELS - 60);
  const height = TOP + bars.length * (BAR + GAP);
  const floorX = LABELS + scale(1);
  const lines = bars.map(({ scenario, metric, ours, floor }, index) => {
    const y = TOP + index * (BAR + GAP);
    const ratio = median(ours) / median(floor);
    const isBetter = metric.endsWith('/s') ? ratio >= 1 : ratio <= 1;
    return [
      `<text x="${LABELS - 8}" y="${y + 12}" text-anchor="end">${escape(`${scenario}: ${metric}`)}</text>`,
      `<rect x="${LABELS}" y="${y}" width="${scale(ratio).toFixed(1)}" height="${BAR}" fill="${isBetter ? '#2f9e63' : '#3b6fb6'}"/>`,
      `<text x="${(LABELS + scale(ratio) + 6).toFixed(1)}" y="${y + 12}">${ratio.toFixed(2)}</text>`,
    ].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${LABELS}" y="18" font-weight="bold">measured ÷ floor: rates above 1 and times below 1 beat it</text>`,
    ...lines,
    `<line x1="${floorX}" x2="${floorX}" y1="${TOP - 12}" y2="${height}" stroke="#b23b3b" stroke-dasharray="4 3"/>`,
    `<text x="${floorX}" y="${TOP - 14}" text-anchor="middle" fill="#b23b3b">floor</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
