import { ERROR_TEXTS, ERRORS, NODE_ERRORS, RUN_ERROR_TEXTS } from '@deckhand/contracts';
import type { DocPage } from './pages.ts';

/** Returns a page for each code of errors. */
export function errorPages(): DocPage[] {
  const codes = new Set([...Object.keys(ERRORS), ...Object.keys(RUN_ERROR_TEXTS), ...Object.keys(NODE_ERRORS)]);
  return [...codes].map((code) => ({
    slug: `errors/${code}`,
    file: `docs/errors/${code}.md`,
    title: code,
    markdown: markdownOf(code),
  }));
}

function markdownOf(code: string): string {
  const parts = [
    `# \`${code}\``,
    ...ofRequests(code),
    ...ofRuns(code),
    ...ofNodes(code),
    'See [all codes](../errors.md).',
  ];
  // The texts have the links of docs/.
  return `${parts.join('\n\n').replaceAll(/\]\((?=[a-z])/g, '](../')}\n`;
}

function ofRequests(code: string): string[] {
  return entriesOf(ERRORS, code).flatMap(([known, { status, message }]) => {
    const { when, retry } = ERROR_TEXTS[known];
    return ['## Of a request', `${status}: ${message}.`, `${when}.`, `Try again: ${retry}.`];
  });
}

function ofRuns(code: string): string[] {
  return entriesOf(RUN_ERROR_TEXTS, code).flatMap(([, when]) => [
    '## Of a run',
    'The run is `failed`, `timeout` or `stopped`, and its `error` has this code.',
    `${when}.`,
  ]);
}

function ofNodes(code: string): string[] {
  return entriesOf(NODE_ERRORS, code).flatMap(([, { when, retry }]) => [
    '## Of a node',
    `${when}.`,
    `Tried again by the node's [\`retry\`](definition.md#nodesretry): ${retry}. Its \`onError\` decides how the run goes on.`,
  ]);
}

/** Returns the entry of a catalogue with a code, if there is one. */
function entriesOf<Code extends string, T>(catalogue: Readonly<Record<Code, T>>, code: string): [Code, T][] {
  const isKnown = (name: string): name is Code => Object.hasOwn(catalogue, name);
  return isKnown(code) ? [[code, catalogue[code]]] : [];
}
