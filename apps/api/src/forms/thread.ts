import { type Check, compileUntrusted, type Faults, parseOwnJson } from '@deckhand/contracts';

/** A form, as JSON text of its wait, and the data that somebody entered. */
export interface FormTask {
  readonly details: string;
  readonly data: unknown;
}

/** Checks the data. Runs on a thread. */
export default function checkForm({ details, data }: FormTask): Faults {
  const { schema } = parseOwnJson<{ schema: object }>(details);
  const compiled = compileUntrusted(schema);
  if ('faults' in compiled) return { faults: compiled.faults };
  const result: ReturnType<Check<unknown>> = compiled.check(data);
  return 'faults' in result ? result : { faults: [] };
}
