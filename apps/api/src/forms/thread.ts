import { type Check, compileUntrusted, type Faults, parseOwnJson } from '@deckhand/contracts';

/** A form, serialised as its wait keeps it, and what somebody filled in. */
export interface FormTask {
  readonly details: string;
  readonly data: unknown;
}

/** Runs on a thread: checks what was filled in. */
export default function checkForm({ details, data }: FormTask): Faults {
  const { schema } = parseOwnJson<{ schema: object }>(details);
  const compiled = compileUntrusted(schema);
  if ('faults' in compiled) return { faults: compiled.faults };
  const result: ReturnType<Check<unknown>> = compiled.check(data);
  return 'faults' in result ? result : { faults: [] };
}
