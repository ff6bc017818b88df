import type { Definition, JsonObject } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { sampleInput } from './sample-input.ts';

const trigger = (inputSchema?: JsonObject) => ({
  id: 'start',
  type: 'trigger.manual',
  ...(inputSchema && { parameters: { inputSchema } }),
});
const reading = (parameters: JsonObject): Definition => ({
  nodes: [trigger(), { id: 'a', type: 'set', parameters }],
  edges: [{ source: 'start', target: 'a' }],
});

describe('the input to begin with', () => {
  it('has what nodes read', () => {
    const definition = reading({
      fields: { a: '{{ $trigger.customer.name }} {{ $trigger.customer?.age }}', b: '{{ $trigger.lines.length }}' },
      condition: "$trigger.tags.includes('x') && $trigger.text.trim() != ''",
    });
    expect(sampleInput(definition, trigger())).toEqual({
      customer: { name: null, age: null },
      lines: null,
      tags: null,
      text: null,
    });
    expect(sampleInput(reading({ fields: { a: '{{ $trigger }}' } }), trigger())).toEqual({});
  });

  it('keeps names apart that objects have of their own', () => {
    const sample = sampleInput(reading({ a: '{{ $trigger.__proto__.x }} {{ $trigger.constructor }}' }), trigger());
    expect(Object.keys(sample)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(sample)).toBe(Object.prototype);
  });

  it('is what the schema of the trigger suggests', () => {
    const schema = {
      properties: {
        city: { type: 'string', examples: ['Rome'] },
        days: { type: 'integer', default: 3 },
        units: { enum: ['metric', 'imperial'] },
        tags: { type: 'array' },
        guest: { properties: { name: { type: 'string' }, isMember: { type: 'boolean' } } },
        other: true,
      },
    };
    expect(sampleInput(reading({ a: '{{ $trigger.b }}' }), trigger(schema))).toEqual({
      city: 'Rome',
      days: 3,
      units: 'metric',
      tags: [],
      guest: { name: '', isMember: false },
      other: null,
    });
    expect(sampleInput(reading({ a: '{{ $trigger.b }}' }), trigger({ examples: [{ b: 1 }] }))).toEqual({ b: 1 });
  });
});
