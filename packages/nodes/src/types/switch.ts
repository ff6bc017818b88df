import { type ValidationIssue, isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { defineNodeType, type Outcome } from '@deckhand/engine';
import Type from 'typebox';
import { isSameJson } from '../items/equality.ts';
import { runInSlices, type Steps } from '../work/slices.ts';

const DEFAULT_HANDLE = 'default';

export default defineNodeType({
  type: 'switch',
  title: 'Switch',
  description:
    'Continues at the output of the first case that equals its value, at `default` if none does, and passes its input on.',
  keywords: ['case', 'router', 'route', 'choose', 'branch'],
  category: 'flow',
  icon: 'git-fork',
  summary: '{value}',
  hasEffects: false,
  parameters: Type.Object(
    {
      value: Type.Unsafe<JsonValue>({ description: 'The value to compare' }),
      cases: Type.Array(
        Type.Object(
          {
            handle: Type.String({
              minLength: 1,
              maxLength: 64,
              description: 'The name of the output, not "default" or "error"',
            }),
            equals: Type.Unsafe<JsonValue>({ description: 'Compared by value and type' }),
          },
          { title: 'Case', additionalProperties: false },
        ),
        { minItems: 1, maxItems: 100, description: 'Compared in their order' },
      ),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { value: 'expression' } },
  handles: [DEFAULT_HANDLE],
  handlesBy: { parameter: 'cases', member: 'handle', fixed: [DEFAULT_HANDLE] },
  undecidedHandle: DEFAULT_HANDLE,
  check(parameters) {
    const seen = new Set<string>([DEFAULT_HANDLE, 'error']);
    return caseHandles(parameters).flatMap((handle, index): ValidationIssue[] => {
      if (seen.has(handle)) return [{ path: `cases[${index}].handle`, message: `"${handle}" is taken already` }];
      seen.add(handle);
      return [];
    });
  },
  errors: ['NODE_BUDGET'],
  run({ value, cases }, { input, signal }) {
    return runInSlices(signal, function* (work): Steps<Outcome> {
      for (const { equals, handle } of cases) {
        if (isSameJson(equals, value, work)) return { kind: 'output', output: input, handle };
        if (work.spend(1)) yield;
      }
      return { kind: 'output', output: input, handle: DEFAULT_HANDLE };
    });
  },
  example: {
    trigger: { country: 'DE' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'route',
          type: 'switch',
          parameters: {
            value: '{{ $trigger.country }}',
            cases: [
              { handle: 'german', equals: 'DE' },
              { handle: 'french', equals: 'FR' },
            ],
          },
        },
        { id: 'hallo', type: 'set', parameters: { fields: { text: 'Hallo' } } },
        { id: 'salut', type: 'set', parameters: { fields: { text: 'Salut' } } },
        { id: 'hello', type: 'set', parameters: { fields: { text: 'Hello' } } },
      ],
      edges: [
        { source: 'start', target: 'route' },
        { source: 'route', sourceHandle: 'german', target: 'hallo' },
        { source: 'route', sourceHandle: 'french', target: 'salut' },
        { source: 'route', sourceHandle: 'default', target: 'hello' },
      ],
    },
    outputs: { route: { country: 'DE' }, hallo: { text: 'Hallo' } },
    skipped: ['salut', 'hello'],
  },
});

function caseHandles(parameters: JsonObject): string[] {
  const cases: unknown = parameters.cases;
  if (!Array.isArray(cases)) return [];
  const list: readonly unknown[] = cases;
  return list.flatMap((entry) => (isJsonObject(entry) && typeof entry.handle === 'string' ? [entry.handle] : []));
}
