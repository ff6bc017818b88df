import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseParent } from './postgres-home.ts';

let root: string;
let checkout: string;
let shared: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'deckhand-test-'));
  checkout = join(root, 'checkout', 'postgres');
  shared = join(root, 'shared');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const reachable = () => Promise.resolve(true);
const unreachable = () => Promise.resolve(false);
const createData = (parent: string) => mkdirSync(join(parent, 'data'), { recursive: true });

describe('the folder of the data', () => {
  it('is in the checkout, or in the shared folder if the checkout cannot be reached', async () => {
    expect(await chooseParent(checkout, shared, reachable)).toBe(checkout);
    expect(await chooseParent(checkout, shared, unreachable)).toBe(shared);
  });

  it('stays where it is when the checkout can be reached later', async () => {
    createData(shared);
    expect(await chooseParent(checkout, shared, reachable)).toBe(shared);
  });

  it('is not replaced by an empty one when the checkout cannot be reached any more', async () => {
    createData(checkout);
    expect(await chooseParent(checkout, shared, reachable)).toBe(checkout);
    await expect(chooseParent(checkout, shared, unreachable)).rejects.toThrow(/cannot be used.*chmod o\+x/);
  });

  it('is not guessed if there are two', async () => {
    createData(checkout);
    createData(shared);
    await expect(chooseParent(checkout, shared, reachable)).rejects.toThrow(`in ${checkout} and in ${shared}`);
  });
});
