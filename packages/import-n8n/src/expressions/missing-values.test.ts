import { describe, expect, it } from '@jest/globals';
import { parseExpressionAt } from 'acorn';
import { readsMissingWithin } from './missing-values.ts';

const reads = (source: string): boolean => readsMissingWithin(parseExpressionAt(source, 0, { ecmaVersion: 2024 }));

describe('a read of a property of nothing', () => {
  // n8n 2.41.1: {{ $json.body.retryCount || 2 }} without a body has no value, not 2.
  it.each([
    '$json.body.retryCount || 2',
    '$json.name.toLowerCase() === "ada"',
    '$json.a.includes($json.b.c)',
    '`Hello ${$json.user.name}`',
    '$json.list.map(item => item.user.name)',
    '$json.rows[$json.at.index]',
    '$json.rows[0].name + "!"',
    '$("Start").item.json.order.id ? 1 : 2',
    '({ id: $json.order.id })',
  ])('changes the value of %s', (source) => {
    expect(reads(source)).toBe(true);
  });

  it.each([
    '$json.body.retryCount',
    '$json.rows[0].name.trim()',
    '$json.a || 2',
    '$json.body?.retryCount || 2',
    '$("Start").item.json.id + 1',
    '$node["Start"].json.id + 1',
    '$input.first().json.id + 1',
    '$execution.id + $workflow.name',
    'Math.round($json.amount * 100) / 100',
    '$json.items.map(x => x.name)',
  ])('does not change the value of %s', (source) => {
    expect(reads(source)).toBe(false);
  });
});
