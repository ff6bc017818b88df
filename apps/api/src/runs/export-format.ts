import type { ExecutionRecord } from '@deckhand/db';
import { maskHeaders, parseOwnJson } from '@deckhand/contracts';
import { type Options, stringify } from 'csv-stringify/sync';
import type { ExecutionEntryView } from './execution-reader.ts';

/** Writes runs as a file, batch by batch. */
export interface ExportFormat {
  readonly contentType: string;
  /** Text before, between and after the batches. */
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  batch(entries: readonly ExecutionEntryView[]): string;
}

interface RunError {
  readonly message: string;
  readonly nodeId: string | null;
  readonly code: string;
}

const COLUMNS = [
  'executionId',
  'workflowId',
  'workflowVersionId',
  'status',
  'executionMode',
  'source',
  'createdAt',
  'startedAt',
  'finishedAt',
  'durationMs',
  'currentNodeId',
  'rerunOf',
  'errorCode',
  'errorNodeId',
  'errorMessage',
  'triggerNodeId',
  'trigger',
  'parentExecutionId',
  'workflowName',
  'tags',
  'metadata',
] as const;

function toRow(run: ExecutionRecord): Record<(typeof COLUMNS)[number], string | number | null> {
  const error = run.errorJson === null ? undefined : parseOwnJson<RunError>(run.errorJson);
  return {
    executionId: run.id,
    workflowId: run.workflowId,
    workflowVersionId: run.workflowVersionId,
    status: run.status,
    executionMode: run.executionMode,
    source: run.source,
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
    durationMs: run.startedAt && run.finishedAt ? run.finishedAt.getTime() - run.startedAt.getTime() : null,
    currentNodeId: run.currentNodeId,
    rerunOf: run.rerunOf,
    errorCode: error?.code ?? null,
    errorNodeId: error?.nodeId ?? null,
    errorMessage: error?.message ?? null,
    triggerNodeId: run.triggerNodeId,
    trigger: run.triggerJson === null ? null : maskHeaders(run.triggerJson),
    parentExecutionId: run.parentExecutionId,
    workflowName: run.workflowName,
    tags: run.tags?.join(' ') ?? null,
    metadata: run.metadataJson,
  };
}

/**
 * `escape_formulas` keeps spreadsheets from executing cells that a sender chose (OWASP, CSV injection); the library
 * lacks the line feed among their first characters. A cell with either character of a line end is quoted (RFC 4180):
 * otherwise, what follows it would be a row of its own.
 */
const CSV_OPTIONS: Options = {
  columns: [...COLUMNS],
  escape_formulas: true,
  cast: { string: (cell) => (cell.startsWith('\n') ? `'${cell}` : cell) },
  record_delimiter: 'windows',
  quote_record_delimiter: true,
};

/**
 * The formats of GET /api/executions/export: CSV as in RFC 4180 with a header, JSON as one array of a list's entries.
 */
export const EXPORT_FORMATS: Readonly<Record<'csv' | 'json', ExportFormat>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: stringify([], { ...CSV_OPTIONS, header: true }),
    separator: '',
    tail: '',
    batch: (entries) =>
      stringify(
        entries.map(({ run }) => toRow(run)),
        CSV_OPTIONS,
      ),
  },
  json: {
    contentType: 'application/json; charset=utf-8',
    head: '[\n',
    separator: ',\n',
    tail: '\n]\n',
    batch: (entries) => entries.map(({ json }) => json).join(',\n'),
  },
};
