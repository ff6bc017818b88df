import { describe, expect, it } from '@jest/globals';
import Type from 'typebox';
import { ERRORS } from './errors.ts';
import { createMessageTranslator, GERMAN_MESSAGES } from './german-messages.ts';
import { compileCheck } from './validate.ts';

const translate = createMessageTranslator(GERMAN_MESSAGES);
const partsOf = (text: string): string[] => [...text.matchAll(/\{\d\}/g)].map(([part]) => part).sort();

describe('the German of messages', () => {
  it('has the same parts as the English', () => {
    for (const [english, german] of Object.entries(GERMAN_MESSAGES)) expect(partsOf(german)).toEqual(partsOf(english));
  });

  it('has every error of the catalogue', () => {
    const missing = Object.values(ERRORS).filter(({ message }) => translate(message) === message);
    expect(missing).toEqual([]);
  });

  it('has what checks of values report', () => {
    const check = compileCheck(
      Type.Object(
        {
          ...{ missing: Type.String(), short: Type.String({ minLength: 3 }), long: Type.String({ maxLength: 1 }) },
          ...{ low: Type.Number({ minimum: 5 }), high: Type.Number({ maximum: 5 }), type: Type.Integer() },
          ...{ above: Type.Number({ exclusiveMinimum: 5 }), below: Type.Number({ exclusiveMaximum: 5 }) },
          ...{ few: Type.Array(Type.Any(), { minItems: 1 }), many: Type.Array(Type.Any(), { maxItems: 0 }) },
          ...{ same: Type.Array(Type.Any(), { uniqueItems: true }), choice: Type.Enum(['a', 'b']) },
          ...{ pattern: Type.String({ pattern: '^a$' }), step: Type.Number({ multipleOf: 2 }) },
          ...{ mail: Type.String({ format: 'email' }), id: Type.String({ format: 'uuid' }) },
          ...{ at: Type.String({ format: 'date-time' }), day: Type.String({ format: 'date' }) },
          ...{ text: Type.String(), flag: Type.Boolean(), list: Type.Array(Type.Any()), object: Type.Object({}) },
        },
        { additionalProperties: false },
      ),
    );
    const result = check({
      ...{ short: 'a', long: 'ab', low: 1, high: 9, type: 'x', above: 5, below: 5, few: [], many: [1], same: [1, 1] },
      ...{ choice: 'c', pattern: 'b', step: 3, mail: 'x', id: 'x', at: 'x', day: 'x', extra: 1 },
      ...{ text: 1, flag: 1, list: 1, object: 1 },
    });
    const issues = 'issues' in result ? result.issues : [];
    expect(issues).toHaveLength(23);
    expect(issues.filter(({ message }) => translate(message) === message)).toEqual([]);
  });

  it.each([
    ['name: must NOT have fewer than 1 characters', 'name: muss mindestens 1 Zeichen haben'],
    ['definition.nodes[2].id: is required', 'definition.nodes[2].id: ist erforderlich'],
    ['there is no node "a.b"', 'es gibt keinen Knoten „a.b“'],
    ['nodes: nodes lead back to themselves: a, b', 'nodes: Knoten führen zu sich selbst zurück: a, b'],
    ['This needs the permission runs.start', 'Das erfordert das Recht runs.start'],
    ['something of a later version', 'something of a later version'],
    ['name: something of a later version', 'name: something of a later version'],
    ['constructor', 'constructor'],
  ])('translates %s', (message, expected) => {
    expect(translate(message)).toBe(expected);
  });
});
