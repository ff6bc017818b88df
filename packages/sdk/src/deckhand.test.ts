import { describe, expect, it } from '@jest/globals';
import { createDeckhand, type DeckhandOptions } from './deckhand.ts';

const VALID = { baseUrl: 'https://deckhand.example.com', apiKey: 'dk_key' };

describe('the options of a client', () => {
  it.each<[Partial<DeckhandOptions>, string]>([
    [{ apiKey: undefined }, 'apiKey is undefined, and has to be an API key'],
    [{ apiKey: '' }, 'apiKey is not an API key: one begins with dk_, and has no spaces'],
    [{ apiKey: 'secret' }, 'apiKey is not an API key: one begins with dk_, and has no spaces'],
    [{ apiKey: 'dk_key\n' }, 'apiKey is not an API key: one begins with dk_, and has no spaces'],
    [{ baseUrl: undefined }, 'baseUrl is undefined, and has to be the URL of Deckhand'],
    [
      { baseUrl: 'deckhand.example.com' },
      'baseUrl is "deckhand.example.com", and has to begin with https:// or http://',
    ],
    [{ baseUrl: 'localhost:3000' }, 'baseUrl is "localhost:3000", and has to begin with https:// or http://'],
    [{ maxRetries: -1 }, 'maxRetries is -1, and has to be a whole number from 0'],
    [{ timeoutMs: NaN }, 'timeoutMs is NaN, and has to be more than 0'],
  ])('%j are refused when it is created', (options, message) => {
    expect(() => createDeckhand({ ...VALID, ...options })).toThrow(new TypeError(message));
  });

  it('are accepted with a slash at the end, and with undefined for what has a default', () => {
    const options = { ...VALID, baseUrl: 'http://localhost:3000/', maxRetries: undefined, timeoutMs: undefined };
    expect(createDeckhand(options).client.getConfig().baseUrl).toBe('http://localhost:3000');
  });
});

it('a start without a workflow says so, and sends nothing', async () => {
  const fetch = (): Promise<Response> => Promise.reject(new Error('a request was sent'));
  const { workflows } = createDeckhand({ ...VALID, fetch });
  await expect(workflows.execute('')).rejects.toThrow('the workflow is empty, and has to be a slug or an id');
});
