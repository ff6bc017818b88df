import type { Execution } from '@deckhand/contracts';
import { describeNodes } from './run-sample.ts';

/** What a person needs after a start. */
export interface Started {
  readonly url: string;
  readonly ownerEmail: string;
  readonly ownerPassword: string;
  readonly apiKey: string;
  readonly sampleName: string;
  readonly sampleInput: object;
  readonly execution: Execution;
  readonly logs: string;
  readonly data: string;
  /** Remarks, one per line. */
  readonly notes: readonly string[];
}

/** Returns the text at the end of a start, with commands that can be copied into a shell. */
export function describeStart(started: Started): string {
  const { execution, url, apiKey } = started;
  const body = JSON.stringify({ input: started.sampleInput });
  const seconds = secondsBetween(execution.startedAt, execution.finishedAt);
  return [
    '',
    `The sample "${started.sampleName}" ended with ${execution.status}${seconds}:`,
    ...describeNodes(execution).map((line) => `  ${line}`),
    ...(execution.error ? [`  ${execution.error.code}: ${execution.error.message}`] : []),
    '',
    `Address   ${url}`,
    `Docs      ${url}/docs`,
    `Sign in   ${started.ownerEmail}  ${started.ownerPassword}`,
    `API key   ${apiKey}`,
    `Logs      ${started.logs}`,
    `Data      ${started.data}`,
    ...started.notes.map((note) => `Note      ${note}`),
    '',
    'Start a run:',
    '',
    `  curl -sS -X POST ${url}/api/workflows/${execution.workflowId}/execute \\`,
    `    -H 'x-api-key: ${apiKey}' -H 'content-type: application/json' \\`,
    `    -d ${quoted(body)}`,
    '',
    'Read one (this is the run above; put in the executionId of your own):',
    '',
    `  curl -sS ${url}/api/executions/${execution.executionId} -H 'x-api-key: ${apiKey}'`,
    '',
  ].join('\n');
}

/** Quotes a text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function secondsBetween(from: string | null, to: string | null): string {
  if (from === null || to === null) return '';
  return ` after ${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(2)} s`;
}
