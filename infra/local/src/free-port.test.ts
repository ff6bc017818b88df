import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort, isPortFree } from './free-port.ts';

let server: Server | undefined;

afterEach(() => {
  server?.close();
});

function occupy(host: string): Promise<number> {
  return new Promise((resolve) => {
    const listening = createServer().listen(0, host, () => resolve((listening.address() as AddressInfo).port));
    server = listening;
  });
}

describe('finding a port', () => {
  it.each(['127.0.0.1', '0.0.0.0'])('sees that somebody listens on %s', async (host) => {
    expect(await isPortFree(await occupy(host))).toBe(false);
  });

  it('continues to the next one when the wanted one is taken', async () => {
    const taken = await occupy('127.0.0.1');
    const port = await freePort(taken);
    expect(port).not.toBe(taken);
    expect(await isPortFree(port)).toBe(true);
  });

  it('chooses none that the system gives to connections', async () => {
    const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()));
    expect(Math.max(...ports)).toBeLessThan(32_768);
    expect(new Set(ports).size).toBe(200);
  });
});
