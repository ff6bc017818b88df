/** The last green run of a part, as docs/testing.md lists it. */
export interface GreenRun {
  /** The abbreviated hash of the commit. */
  readonly commit: string;
  readonly minutes: number;
  readonly cpuMinutes: number | undefined;
}

/** Where the table of parts is, in the repository. */
export const TESTING_PAGE = 'docs/testing.md';

/** A row of the table: `| name | about | commit | minutes | CPU minutes |`. */
const ROW = /^\| `([a-z-]+)` \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$/gm;

/** What stands in the table for a part that never had a green run, or for an unknown time. */
const NONE = '–';

/** Returns the last green run of each part of the page that has one. */
export function readGreenRuns(page: string): ReadonlyMap<string, GreenRun> {
  const rows = [...page.matchAll(ROW)].map(([, name = '', , commit = '', minutes = '', cpuMinutes = '']) => {
    const run = {
      commit: commit.replaceAll('`', ''),
      minutes: Number(minutes),
      cpuMinutes: cpuMinutes === NONE ? undefined : Number(cpuMinutes),
    };
    return [name, run] as const;
  });
  return new Map(rows.filter(([, { commit }]) => commit !== NONE));
}

/** Returns the names of the parts in the table, and what the page says of each. */
export function readPartNames(page: string): ReadonlyMap<string, string> {
  return new Map([...page.matchAll(ROW)].map(([, name = '', about = '']) => [name, about]));
}

/** Returns the page with another last green run of a part. @throws if the table has no row for it. */
export function withGreenRun(page: string, name: string, { commit, minutes, cpuMinutes }: GreenRun): string {
  if (!readPartNames(page).has(name)) throw new Error(`${TESTING_PAGE} has no row for the part ${name}`);
  return page.replace(ROW, (row, rowName: string, about: string) => {
    if (rowName !== name) return row;
    return `| \`${name}\` | ${about} | \`${commit}\` | ${minutes.toFixed(1)} | ${cpuMinutes?.toFixed(1) ?? NONE} |`;
  });
}
