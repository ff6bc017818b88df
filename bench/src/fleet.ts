import type { ManagedProcess } from '@deckhand/local';
import type { Stack } from './stack.ts';
import { runFourNodes } from './suite/end-to-end.ts';
import { loadWithNonces } from './suite/nonce-load.ts';
import type { Figures } from './suite/scenario.ts';
import { ON_COMPLETION } from './suite/webhook.ts';
import { saveWebhook } from './workflows.ts';

/** Workers, step by step. */
const FLEETS = [1, 2, 3, 4, 8] as const;
const RUNS = 20_000;
/** Requests with a response at the end of their runs, for so many seconds over so many connections. */
const COMPLETION = { connections: 20, seconds: 10 };

/** What a run costs with a number of workers on one machine. */
export interface FleetRow {
  readonly workers: number;
  readonly figures: Figures;
}

/**
 * Measures what a run costs with 1, 2, 3, 4 and 8 workers: at full speed, and with a response at the end of each run.
 * All share the cores of one machine, so more workers can only cost more.
 */
export async function fleet(stack: Stack): Promise<FleetRow[]> {
  const { url } = await saveWebhook(stack, ON_COMPLETION);
  const workers: ManagedProcess[] = [stack.worker];
  await runFourNodes(stack, { runs: RUNS, workers });
  const rows: FleetRow[] = [];
  for (const count of FLEETS) {
    while (workers.length < count) workers.push(await stack.addWorker());
    // The first runs of a process are slower.
    await runFourNodes(stack, { runs: RUNS / 4, workers });
    const figures = await runFourNodes(stack, { runs: RUNS, workers });
    const { perSecond, p50, p99, lost, crossed } = await loadWithNonces(url, COMPLETION);
    if (lost + crossed > 0) throw new Error(`${lost} responses were lost, ${crossed} were of other requests`);
    rows.push({
      workers: count,
      figures: {
        ...figures,
        'completion requests/s': perSecond,
        'completion p50 ms': p50,
        'completion p99 ms': p99,
      },
    });
  }
  return rows;
}
