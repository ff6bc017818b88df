import { type Check, compileUntrusted, type ValidationIssues, parseOwnJson } from '@deckhand/contracts';

/** A form, as JSON text of its wait, and the data that somebody entered. */
export interface FormTask {
  readonly details: string;
  readonly data: unknown;
}

/** Checks the data. Runs on a thread. */
export default function checkForm({ details, data }: FormTask): ValidationIssues {
  const { schema } = parseOwnJson<{ schema: object }>(details);
  const compiled = compileUntrusted(schema);
  if ('issues' in compiled) return { issues: compiled.issues };
  const result: ReturnType<Check<unknown>> = compiled.check(data);
  return 'issues' in result ? result : { issues: [] };
}
