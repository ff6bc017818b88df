import { loadWithNonces } from './nonce-load.ts';
import { countRuns } from '../runs.ts';
import { saveWebhook } from '../workflows.ts';
import type { Figures, Scenario } from './scenario.ts';

/** Four nodes: webhook → set → if → terminal. */
export const ON_COMPLETION = {
  nodes: [
    { id: 'hook', type: 'trigger.webhook', parameters: { responseMode: 'onCompletion' } },
    { id: 'keep', type: 'set', parameters: { fields: { nonce: '{{ $trigger.body.nonce }}' } } },
    { id: 'check', type: 'if', parameters: { condition: '{{ $input.nonce.length > 8 }}' } },
    { id: 'end', type: 'terminal', parameters: { body: { nonce: '{{ $nodes.keep.output.nonce }}' } } },
  ],
  edges: [
    { source: 'hook', target: 'keep' },
    { source: 'keep', target: 'check' },
    { source: 'check', sourceHandle: 'true', target: 'end' },
  ],
};

/**
 * Requests with a response at the end of their runs, each with its own nonce; the floor responds at the end of a bare
 * job.
 */
export function webhookOnCompletion(connections: number, seconds: number): Scenario {
  return {
    name: `webhook on completion, ${connections} ${connections === 1 ? 'connection' : 'connections'}`,
    async prepare({ stack, floor }) {
      const { workflowId, url } = await saveWebhook(stack, ON_COMPLETION);
      const load = async (target: string): Promise<{ requests: number; figures: Figures }> => {
        const { requests, perSecond, p50, p99, lost, crossed } = await loadWithNonces(target, { connections, seconds });
        if (lost + crossed > 0) throw new Error(`${lost} answers were lost and ${crossed} crossed, of ${requests}`);
        return { requests, figures: { 'requests/s': perSecond, 'p50 ms': p50, 'p99 ms': p99 } };
      };
      return {
        async ours() {
          const before = (await countRuns(stack, workflowId)).all;
          const { requests, figures } = await load(url);
          const runs = (await countRuns(stack, workflowId)).all - before;
          if (runs !== requests) throw new Error(`${requests} requests came to ${runs} runs`);
          return figures;
        },
        floor: async () => (await floor.awake(['api', 'worker'], () => load(`${floor.url}/wait`))).figures,
      };
    },
  };
}
