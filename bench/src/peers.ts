import { installPeers } from './peers/install.ts';
import { type Peer, startDbos, startRestate } from './peers/start.ts';
import { POSTGRES_SETTINGS, type Stack } from './stack.ts';
import { loadWithNonces } from './suite/nonce-load.ts';
import { median } from './suite/times.ts';
import { ON_COMPLETION } from './suite/webhook.ts';
import { saveWebhook } from './workflows.ts';

const CONNECTIONS = [1, 20, 100];
const SECONDS = 8;

/** Requests per second and latencies of one program under one load: medians of all rounds. */
export interface PeerRow {
  readonly connections: number;
  readonly name: string;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/**
 * Compares with Restate and DBOS, one after another in each round: three durable steps, and their result in the
 * response. All of them keep what they acknowledge on the same disk, with fsync. The first round warms up.
 */
export async function peers(stack: Stack, rounds: number, onProgress: (line: string) => void): Promise<PeerRow[]> {
  const dir = await installPeers();
  const { url } = await saveWebhook(stack, ON_COMPLETION);
  const started: Peer[] = [{ name: 'Deckhand', url, stop: () => Promise.resolve() }];
  try {
    started.push(await startRestate(dir), await startDbos(dir, POSTGRES_SETTINGS));
    const rows: PeerRow[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      for (const connections of CONNECTIONS) {
        for (const { name, url } of started) {
          const { perSecond, p50, p99, lost, crossed } = await loadWithNonces(url, { connections, seconds: SECONDS });
          if (lost + crossed > 0) throw new Error(`${name}: ${lost} responses were lost and ${crossed} crossed`);
          onProgress(`round ${round}: ${name}, ${connections}: ${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms`);
          if (round > 0) rows.push({ connections, name, perSecond, p50, p99 });
        }
      }
    }
    return CONNECTIONS.flatMap((connections) =>
      started.map(({ name }) => {
        const own = rows.filter((row) => row.connections === connections && row.name === name);
        const middle = (figure: 'perSecond' | 'p50' | 'p99'): number => median(own.map((row) => row[figure]));
        return { connections, name, perSecond: middle('perSecond'), p50: middle('p50'), p99: middle('p99') };
      }),
    );
  } finally {
    for (const peer of started) await peer.stop();
  }
}
