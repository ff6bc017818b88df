import type { ProcessSample, SoakSample } from './soak.ts';

const WIDTH = 760;
const LEFT = 60;
const RIGHT = 20;
const HEIGHT = 150;
const GAP = 50;

const PANELS: readonly { readonly title: string; readonly pick: (sample: ProcessSample) => number }[] = [
  { title: 'resident memory, MB', pick: ({ rssMb }) => rssMb },
  { title: 'open files and sockets', pick: ({ handles }) => handles },
  { title: 'event-loop lag, 99th percentile, ms', pick: ({ lagMs }) => lagMs },
];
const LINES = [
  { name: 'API', color: '#3b6fb6', of: (sample: SoakSample) => sample.api },
  { name: 'worker', color: '#2f9e63', of: (sample: SoakSample) => sample.worker },
] as const;

/** Draws a soak as an SVG: memory, open files and lag of API and worker over time, each from 0. */
export function plotSoak(samples: readonly SoakSample[]): string {
  const last = samples.at(-1)?.seconds ?? 1;
  const x = (seconds: number): string => (LEFT + (seconds / last) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const panels = PANELS.map(({ title, pick }, index) => {
    const top = GAP + index * (HEIGHT + GAP);
    const most = Math.max(1, ...samples.flatMap((sample) => LINES.map(({ of }) => pick(of(sample)))));
    const y = (value: number): string => (top + HEIGHT - (value / most) * HEIGHT).toFixed(1);
    return [
      `<text x="${LEFT}" y="${top - 10}" font-weight="bold">${title}</text>`,
      `<path d="M${LEFT} ${top}V${top + HEIGHT}H${WIDTH - RIGHT}" fill="none" stroke="#888888"/>`,
      `<text x="${LEFT - 6}" y="${top + 10}" text-anchor="end">${most.toPrecision(3)}</text>`,
      `<text x="${LEFT - 6}" y="${top + HEIGHT}" text-anchor="end">0</text>`,
      ...LINES.map(({ color, of }) => {
        const points = samples.map((sample) => `${x(sample.seconds)},${y(pick(of(sample)))}`).join(' ');
        return `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="1.5"/>`;
      }),
    ].join('');
  });
  const height = GAP + PANELS.length * (HEIGHT + GAP);
  const legend = LINES.map(
    ({ name, color }, index) =>
      `<text x="${WIDTH - RIGHT - 120 + index * 50}" y="18" fill="${color}" font-weight="bold">${name}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...legend,
    ...panels,
    `<text x="${WIDTH - RIGHT}" y="${height - 30}" text-anchor="end">${Math.round(last / 60)} minutes</text>`,
    '</svg>',
    '',
  ].join('\n');
}
