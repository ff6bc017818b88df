import examples from './examples.json' with { type: 'json' };

/** Examples of requests and of responses, by status: JSON bodies. */
export interface Example {
  readonly request?: unknown;
  readonly responses?: Readonly<Record<string, unknown>>;
}

/** Examples by the name of their operation, recorded from real responses: see CONTRIBUTING.md. */
export const EXAMPLES: Readonly<Record<string, Example | undefined>> = examples;
