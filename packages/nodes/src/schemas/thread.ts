import { type Check, compileUntrusted, type ValidationIssues, parseOwnJson } from '@deckhand/contracts';

/**
 * The data of somebody, and the schema that it has to fit, as JSON text of an object that has it. Undefined data
 * fit any schema.
 */
export interface SchemaTask {
  readonly details: string;
  readonly data: unknown;
}

/** Checks the data. Runs on a thread. */
export default function checkData({ details, data }: SchemaTask): ValidationIssues {
  const { schema } = parseOwnJson<{ schema: object }>(details);
  const compiled = compileUntrusted(schema);
  if ('issues' in compiled) return { issues: compiled.issues };
  if (data === undefined) return { issues: [] };
  const result: ReturnType<Check<unknown>> = compiled.check(data);
  return 'issues' in result ? result : { issues: [] };
}
