import { parser } from '@prometheus-io/lezer-promql';
import type { Sample } from './metrics.ts';

/** A label that a query asks for. */
interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** The label matchers of a query for one metric. */
interface Selector {
  readonly name: string;
  readonly matchers: readonly Matcher[];
}

/** The metrics that a query reads, and the labels by which it groups. */
export interface Query {
  readonly selectors: readonly Selector[];
  readonly groupedBy: readonly string[];
}

/** Labels that Prometheus adds to whatever it scrapes. */
const ADDED = ['job', 'instance'];

/** Reads a query. @throws when it is not PromQL. */
export function parseQuery(text: string): Query {
  const selectors: { name: string; matchers: Matcher[] }[] = [];
  const groupedBy: string[] = [];
  parser.parse(text).iterate({
    enter(node) {
      const here = text.slice(node.from, node.to);
      if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${text}`);
      if (node.name === 'VectorSelector') {
        selectors.push({ name: /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(here)?.[0] ?? '', matchers: [] });
      }
      if (node.name === 'UnquotedLabelMatcher') {
        const [, label = '', operator = '', value = ''] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/s.exec(here) ?? [];
        selectors.at(-1)?.matchers.push({ label, operator, value });
      }
      if (node.name === 'GroupingLabels') groupedBy.push(...(here.match(/\w+/g) ?? []));
    },
  });
  return { selectors, groupedBy };
}

/**
 * Returns the parts of a query that no process reports: a name without samples, a label that no sample of that name
 * has, or a value (of `=`) that its label never has.
 */
export function queryFaults(text: string, samples: readonly Sample[]): string[] {
  const { selectors, groupedBy } = parseQuery(text);
  const found = selectors.map(({ name }) => samples.filter((sample) => sample.name === name));
  const faults = selectors.flatMap(({ name, matchers }, index) => {
    const own = found[index] ?? [];
    if (own.length === 0) return [`${name} has no samples`];
    return matchers
      .filter(({ label }) => !ADDED.includes(label))
      .filter(({ label, operator, value }) =>
        own.every(({ labels }) => (operator === '=' ? labels[label] !== value : labels[label] === undefined)),
      )
      .map(({ label, operator, value }) => `${name} has no ${label}${operator}"${value}"`);
  });
  const labels = new Set([...ADDED, ...found.flat().flatMap((sample) => Object.keys(sample.labels))]);
  return [...faults, ...groupedBy.filter((label) => !labels.has(label)).map((label) => `nothing has a label ${label}`)];
}
