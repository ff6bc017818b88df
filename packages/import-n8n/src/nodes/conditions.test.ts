import { type JsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { compileExpression, type ExpressionScope } from '@deckhand/engine/expressions';
import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '../expressions/scope.ts';
import { convertConditions, convertOldConditions } from './conditions.ts';

/** A condition, and the index of what n8n decided for it. */
interface RecordedCondition {
  readonly type: string;
  readonly operation: string;
  readonly rightType?: string;
  readonly singleValue?: boolean;
  readonly caseSensitive: boolean;
  readonly typeValidation: string;
  readonly version: number;
  readonly results: number;
}

/** A rule of If before version 2. */
type RecordedRule = Pick<RecordedCondition, 'type' | 'operation' | 'singleValue' | 'results'>;

/** What n8n decided, as `record/conditions.mjs` writes it: of every left value with every right one. */
interface Matrix {
  /** Without `value`, the item does not have the field. */
  readonly left: readonly { readonly value?: JsonValue }[];
  readonly right: readonly { readonly value?: JsonValue }[];
  readonly conditions: readonly RecordedCondition[];
  readonly rules: readonly RecordedRule[];
  /** A letter for each pair: true, false, or x for an error. A number says how often the letter before it occurs. */
  readonly results: readonly string[];
}

const FILE = join(import.meta.dirname, '../../matrices/conditions.json');
const matrix = parseOwnJson<Matrix>(readFileSync(FILE, 'utf8'));

/** A scope that collects notes. */
function scopeWith(notes: string[]): Scope {
  const source = { text: '$trigger', shape: 'one' } as const;
  return {
    item: source.text,
    index: '0',
    input: source,
    nodeNamed: () => source,
    paired: { nodes: new Set<string>() },
    workflowName: 'Test',
    timezone: 'UTC',
    review: (note) => notes.push(note),
  };
}

/** Returns a letter: whether an expression is true or false for an item, or fails. */
function decide(text: string): (item: JsonObject) => string {
  const compiled = compileExpression(text);
  if ('issue' in compiled) throw new Error(`${compiled.issue.message} in ${text}`);
  const scope: Omit<ExpressionScope, 'trigger'> = {
    input: null,
    node: () => undefined,
    vars: {},
    execution: { id: 'e', mode: 'live' },
    now: () => '2026-11-20T08:15:00.000Z',
  };
  return (trigger) => {
    try {
      return compiled.expression.evaluate({ ...scope, trigger }) === true ? 't' : 'f';
    } catch {
      return 'x';
    }
  };
}

const itemOf = (left: Matrix['left'][number], right: Matrix['right'][number] = {}): JsonObject => ({
  ...('value' in left && left.value !== undefined && { left: left.value }),
  ...('value' in right && right.value !== undefined && { right: right.value }),
});

const isUsualDate = (value: JsonValue = null): boolean =>
  value === null ||
  (/^"?\d{4}(-\d{2}-\d{2}([T ][\d:]+(Z|[+-][\d:]+)?)?)?"?$/.test(JSON.stringify(value)) && value !== '2024-02-30');

/** What the notes say, as a function: whether what fails here need not fail in n8n. */
const NOTES: Readonly<Record<string, (item: JsonObject) => boolean>> = {
  'dates fail here if they are not text such as 2026-11-20 or 2026-11-20T08:15:00Z': ({ left, right }) =>
    !isUsualDate(left) || !isUsualDate(right),
  'dates fail here if they are neither numbers nor text such as 2026-11-20 or 2026-11-20T08:15:00Z': ({
    left,
    right,
  }) => [left, right].some((side) => typeof side === 'string' && !isUsualDate(side)),
  'text fails here if it is an object of JavaScript, but not JSON': ({ left }) => left === '{a:1}',
};

/** Returns the items for which an expression does not return what n8n did, without a note that says so. */
function differencesOf(text: string, notes: readonly string[], { results, singleValue }: RecordedRule): string[] {
  const decideHere = decide(text);
  const rights = singleValue === true ? [{}] : matrix.right;
  const items = matrix.left.flatMap((left) => rights.map((right) => itemOf(left, right)));
  const letters = (matrix.results[results] ?? '').replace(/(.)(\d+)/g, (_all, letter: string, times) =>
    letter.repeat(Number(times)),
  );
  expect(letters).toHaveLength(items.length);
  return items.flatMap((item, index) => {
    const [here, there] = [decideHere(item), letters[index]];
    const isNoted = here === 'x' && notes.some((note) => NOTES[note]?.(item) === true);
    return here === there || isNoted ? [] : [`${JSON.stringify(item)}: ${here}, in n8n ${there}`];
  });
}

it('has every operation with every kind of value', () => {
  const cells = [...matrix.conditions, ...matrix.rules].map(
    ({ singleValue }) => matrix.left.length * (singleValue === true ? 1 : matrix.right.length),
  );
  expect(cells.reduce((sum, each) => sum + each)).toBeGreaterThan(200_000);
});

it.each(matrix.conditions)(
  'is decided as in n8n: $type $operation ($typeValidation, version $version, case-sensitive: $caseSensitive)',
  (recorded) => {
    const { caseSensitive, typeValidation, version, results: _, ...operator } = recorded;
    const condition = {
      leftValue: '={{ $json.left }}',
      ...(operator.singleValue !== true && { rightValue: '={{ $json.right }}' }),
      operator: { ...operator },
    };
    const options = { caseSensitive, typeValidation, version };
    const notes: string[] = [];
    const text = convertConditions({ combinator: 'and', options, conditions: [condition] }, scopeWith(notes));
    expect({ text, differences: differencesOf(text, notes, recorded) }).toEqual({ text, differences: [] });
  },
);

it.each([
  [{ conditions: {} }, 't'],
  [{ conditions: { conditions: [] } }, 't'],
  [{ conditions: { conditions: [], combinator: 'or' } }, 'f'],
  // An operation that n8n does not know is never met, and fails for a value of another type.
  [
    { conditions: { conditions: [{ leftValue: 5, rightValue: 5, operator: { type: 'number', operation: 'equal' } }] } },
    'f',
  ],
  [
    {
      conditions: { conditions: [{ leftValue: 'a', rightValue: 5, operator: { type: 'number', operation: 'equal' } }] },
    },
    'x',
  ],
  // Conditions without options are strict and case-sensitive.
  [
    {
      conditions: {
        conditions: [{ leftValue: 'a', rightValue: 'A', operator: { type: 'string', operation: 'equals' } }],
      },
    },
    'f',
  ],
  [
    {
      conditions: {
        conditions: [{ leftValue: 5, rightValue: '5', operator: { type: 'string', operation: 'equals' } }],
      },
    },
    'x',
  ],
  [
    {
      conditions: {
        conditions: [
          { leftValue: {}, rightValue: '', operator: { type: 'object', operation: 'exists', rightType: 'any' } },
        ],
      },
    },
    't',
  ],
])('decides %j as n8n does', ({ conditions }, letter) => {
  expect(decide(convertConditions(conditions, scopeWith([])))({})).toBe(letter);
});

it.each(matrix.rules)('is decided as in n8n before version 2: $type $operation', (recorded) => {
  const { type, operation } = recorded;
  const rule = { value1: '={{ $json.left }}', operation, value2: '={{ $json.right }}' };
  const notes: string[] = [];
  const text = convertOldConditions({ conditions: { [type]: [rule] } }, scopeWith(notes), true);
  expect({ text, differences: differencesOf(text, notes, recorded) }).toEqual({ text, differences: [] });
});
