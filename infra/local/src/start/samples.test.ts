import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.ts';
import { readSamples } from './samples.ts';

describe('the samples that a start creates', () => {
  it('are those of examples/ with a workflow of their own; other folders are ignored', async () => {
    const samples = await readSamples(join(REPOSITORY, 'examples'), 'http://127.0.0.1:1/');
    expect(samples.map(({ id }) => id).sort()).toEqual(['order-triage', 'signup-report', 'ticket-routing']);
  });
});
