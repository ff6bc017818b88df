/** One sample of a process's metrics. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** Reads Prometheus's text format. @throws at a line that is none of it. */
export function parseMetrics(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = LINE.exec(line) ?? [];
      if (name === undefined) throw new Error(`no line of metrics: ${line}`);
      const pairs = [...labels.matchAll(LABEL)].map(([, key = '', text = '']) => [key, text] as const);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

/** Scrapes a process. @throws when it refuses. */
export async function scrape(url: string, token?: string): Promise<Sample[]> {
  const init = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  const answer = await fetch(`${url}/metrics`, init);
  if (!answer.ok) throw new Error(`${url}/metrics answers ${answer.status}`);
  return parseMetrics(await answer.text());
}

/** The sum over all samples of that name with these labels. */
export function total(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels);
  return samples
    .filter((sample) => sample.name === name && wanted.every(([key, text]) => sample.labels[key] === text))
    .reduce((sum, { value }) => sum + value, 0);
}
